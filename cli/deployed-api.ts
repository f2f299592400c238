import type { APIGatewayClient } from "@aws-sdk/client-api-gateway";
import {
  type Authorization,
  DEFAULT_KEY,
  type Endpoint,
  type KeyRules,
  UNLIMITED,
} from "../lib/platform/http/access.ts";
import { API_STAGE, type Service } from "../lib/platform/naming/names.ts";
import { domainSuffixOf } from "../lib/platform/naming/partitions.ts";
import { PROJECT_TAG } from "../lib/platform/naming/tags.ts";
import type { Configuration } from "../lib/settings/configuration.ts";
import type { Project } from "./project.ts";

/** A deployed API. */
export interface DeployedApi {
  service: Service;
  /** The URL for clients: its own host name if it has one, else the execute-api URL. */
  url: string;
  /** The execute-api URL of API Gateway; `url` if it is switched off. */
  executeUrl: string;
  /** `authorization` of api.yaml. */
  authorization: Authorization;
  /** Each API key: its name in API Gateway, in api.yaml, and its value. Of each name the newest is last. */
  keys: { name: string; key: string; value: string }[];
}

/** Reads the API of a service and its keys from API Gateway; undefined if it is not deployed. */
export async function findDeployedApi(
  { sdk, config, local, names }: Pick<Project, "sdk" | "config" | "local" | "names">,
  service: Service,
): Promise<DeployedApi | undefined> {
  const { APIGatewayClient } = await import("@aws-sdk/client-api-gateway");
  const client = new APIGatewayClient(sdk);
  const id = await idOf(client, names.api(service));
  if (id === undefined) return undefined;
  const executeUrl =
    local?.apiUrl(id) ?? `https://${id}.execute-api.${sdk.region}.${domainSuffixOf(sdk.region)}/${API_STAGE}`;
  const host = hostOf(config, service);
  const url = host === undefined ? executeUrl : `https://${host}`;
  const executes = host === undefined || config.api.execute_api_url;
  return {
    service,
    url,
    executeUrl: executes ? executeUrl : url,
    authorization: config.api.authorization,
    keys: await keysOf(client, id, names.apiKey(service)),
  };
}

function hostOf({ searchGateway, api }: Configuration, service: Service): string | undefined {
  if (service === "recommendation") return api.recommendation_domain_name?.host_name;
  const dns = searchGateway?.domainNameSystem;
  return dns ? `${dns.sub_domain_name}.${dns.domain_name}` : undefined;
}

/** API names are not unique: an interrupted deployment can leave another API of this name, without a stage. */
async function idOf(client: APIGatewayClient, wanted: string): Promise<string | undefined> {
  const { GetStagesCommand } = await import("@aws-sdk/client-api-gateway");
  const ids = (await apisNamed(client, wanted)).map(({ id }) => id);
  if (ids.length < 2) return ids[0];
  for (const restApiId of ids) {
    const { item = [] } = await client.send(new GetStagesCommand({ restApiId }));
    if (item.some(({ stageName }) => stageName === API_STAGE)) return restApiId;
  }
  return ids[0];
}

async function apisNamed(client: APIGatewayClient, wanted: string): Promise<Array<{ id: string; tags: Tags }>> {
  const { paginateGetRestApis } = await import("@aws-sdk/client-api-gateway");
  const found: Array<{ id: string; tags: Tags }> = [];
  for await (const { items = [] } of paginateGetRestApis({ client }, {})) {
    found.push(...items.flatMap(({ id, name, tags = {} }) => (id && name === wanted ? [{ id, tags }] : [])));
  }
  return found;
}

type Tags = Readonly<Record<string, string>>;

/**
 * Deletes APIs of this project and service that have no routes, and returns their ids. If a deployment is interrupted
 * while AWS creates the API, Terraform does not know it and the next one creates another. To be called after a
 * deployment, when the API that Terraform knows has its routes.
 */
export async function removeEmptyApis(
  { sdk, config, names }: Pick<Project, "sdk" | "config" | "names">,
  service: Service,
): Promise<string[]> {
  const { APIGatewayClient, DeleteRestApiCommand, GetResourcesCommand } = await import("@aws-sdk/client-api-gateway");
  const client = new APIGatewayClient(sdk);
  const removed: string[] = [];
  for (const { id: restApiId, tags } of await apisNamed(client, names.api(service))) {
    if (tags[PROJECT_TAG] !== config.project.project_name) continue;
    // An API has its root from the start.
    const { items = [] } = await client.send(new GetResourcesCommand({ restApiId }));
    if (items.length > 1) continue;
    await client.send(new DeleteRestApiCommand({ restApiId }));
    removed.push(restApiId);
  }
  return removed;
}

/** Returns the keys that the usage plan of the API's stage accepts. */
async function keysOf(client: APIGatewayClient, apiId: string, first: string): Promise<DeployedApi["keys"]> {
  const { paginateGetApiKeys, paginateGetUsagePlanKeys, paginateGetUsagePlans } = await import(
    "@aws-sdk/client-api-gateway"
  );
  const admitted = new Set<string | undefined>();
  for await (const { items: plans = [] } of paginateGetUsagePlans({ client }, {})) {
    for (const { id: usagePlanId, apiStages = [] } of plans) {
      if (!apiStages.some((one) => one.apiId === apiId && one.stage === API_STAGE)) continue;
      const pages = paginateGetUsagePlanKeys({ client }, { usagePlanId });
      for await (const { items = [] } of pages) for (const { id } of items) admitted.add(id);
    }
  }
  const keys: Array<DeployedApi["keys"][number] & { number: number }> = [];
  for await (const { items = [] } of paginateGetApiKeys({ client }, { nameQuery: first, includeValues: true })) {
    for (const { id, name = "", value = "" } of items) {
      if (admitted.has(id)) keys.push({ name, value, ...keyOf(name.slice(first.length)) });
    }
  }
  return keys.sort((a, b) => a.key.localeCompare(b.key) || a.number - b.number).map(({ number, ...key }) => key);
}

/** Returns the name in api.yaml and the number of a key, by the end of its name: `-2`, `-shop` or `-shop.2`. */
function keyOf(end: string): { key: string; number: number } {
  const [, name, number] = /^(?:-([a-z][a-z0-9-]*))?(?:[.-](\d+))?$/.exec(end) ?? [];
  return { key: name ?? DEFAULT_KEY, number: Number(number ?? 1) };
}

type Configured = Pick<KeyRules, "name" | "endpoints" | "indexes"> & { raw_backend?: unknown };

/**
 * Returns the value of a deployed key that may call the endpoints, preferably for every index; undefined if there is
 * none. A key that may make every call of the cluster's own API may make those of `administration`.
 */
export function keyValueFor(
  { keys }: DeployedApi,
  configured: readonly Configured[] | undefined,
  endpoints: readonly Endpoint[],
): string | undefined {
  const may = (configured ?? [UNLIMITED]).filter(
    (rules) => keys.some(({ key }) => key === rules.name) && endpoints.every((one) => mayCall(rules, one)),
  );
  const rules = may.find(({ indexes }) => indexes === undefined) ?? may[0];
  return keys.findLast(({ key }) => key === rules?.name)?.value;
}

const mayCall = ({ endpoints, indexes, raw_backend }: Configured, endpoint: Endpoint): boolean =>
  endpoints.includes(endpoint) ||
  (endpoint === "administration" &&
    raw_backend === "all" &&
    indexes === undefined &&
    endpoints.includes("raw-backend"));
