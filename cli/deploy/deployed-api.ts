import { API_STAGE, type Names, type Service } from "../../lib/naming/names.ts";
import type { Session } from "./session.ts";

/** An API that is deployed. */
export interface DeployedApi {
  service: Service;
  /** Where clients call it: its own host name, else the execute-api URL. */
  url: string;
  /** Its URL at API Gateway. */
  executeUrl: string;
  /** Name and value of each key, the newest last. */
  keys: { name: string; value: string }[];
}

/** Most keys of a service: two, while they are changed over. Numbers only grow, so names are matched by their start. */
const keyNumber = (name: string, first: string) => (name === first ? 1 : Number(name.slice(first.length + 1)));

/** The API of a service with its keys, as API Gateway has them; undefined when it is not deployed. */
export async function findDeployedApi(
  { sdk, config }: Pick<Session, "sdk" | "config">,
  names: Names,
  service: Service,
): Promise<DeployedApi | undefined> {
  const { APIGatewayClient, paginateGetApiKeys, paginateGetRestApis } = await import("@aws-sdk/client-api-gateway");
  const client = new APIGatewayClient(sdk);
  let id: string | undefined;
  for await (const { items = [] } of paginateGetRestApis({ client }, {})) {
    id ??= items.find(({ name }) => name === names.api(service))?.id;
  }
  if (id === undefined) return undefined;
  const first = names.apiKey(service);
  const keys: DeployedApi["keys"] = [];
  for await (const { items = [] } of paginateGetApiKeys({ client }, { nameQuery: first, includeValues: true })) {
    for (const { name = "", value = "" } of items) if (keyNumber(name, first) > 0) keys.push({ name, value });
  }
  keys.sort((a, b) => keyNumber(a.name, first) - keyNumber(b.name, first));
  const suffix = names.partition() === "aws-cn" ? ".cn" : "";
  const executeUrl = `https://${id}.execute-api.${sdk.region}.amazonaws.com${suffix}/${API_STAGE}`;
  const dns = service === "search-gateway" ? config.searchGateway?.domainNameSystem : undefined;
  const url = dns ? `https://${dns.sub_domain_name}.${dns.domain_name}` : executeUrl;
  return { service, url, executeUrl, keys };
}
