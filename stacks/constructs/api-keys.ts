import { ApiGatewayApiKey } from "#aws/api-gateway-api-key";
import type { ApiGatewayRestApi } from "#aws/api-gateway-rest-api";
import type { ApiGatewayStage } from "#aws/api-gateway-stage";
import { ApiGatewayUsagePlan } from "#aws/api-gateway-usage-plan";
import { ApiGatewayUsagePlanKey } from "#aws/api-gateway-usage-plan-key";
import { DEFAULT_KEY } from "../../lib/platform/http/access.ts";
import type { Service } from "../../lib/platform/naming/names.ts";
import { type KeyLimits, keysOf, throttleOf } from "../../lib/settings/access.ts";
import type { ProjectStack } from "../project-stack.ts";

/** An API and the stage that serves it. */
export interface DeployedApi {
  api: ApiGatewayRestApi;
  stage: ApiGatewayStage;
}

/** A key of api.yaml, with its keys in API Gateway: two during a rotation. */
export interface ServiceKey {
  limits: KeyLimits;
  keys: ReadonlyArray<{ number: number; key: ApiGatewayApiKey }>;
}

/** The address of what belongs to a key. The key `default` keeps the addresses of a project that names no keys. */
const address = (what: string, name: string, number?: number) =>
  [what, ...(name === DEFAULT_KEY ? [] : [name]), ...(number === undefined ? [] : [number])].join("-");

/** Returns the name as part of a cloud name; none for the key `default`. */
const partOf = (name: string) => (name === DEFAULT_KEY ? undefined : name);

/** Adds the API keys of a service. They are made before the function, which gets their ids. */
export function apiKeys(stack: ProjectStack, service: Service): ServiceKey[] {
  const { names, input } = stack;
  const { apiKeys: own, namedKeys } = input.discovery;
  const made = keysOf(input.config.api, service).map((limits): ServiceKey => {
    const { name } = limits;
    const numbers = name === DEFAULT_KEY ? own[service] : (namedKeys?.[service][name] ?? [1]);
    const keys = numbers.map((number) => {
      const key = new ApiGatewayApiKey(stack, address("api-key", name, number), {
        name: names.apiKey(service, number, partOf(name)),
        description: `${input.config.project.project_name}: ${service}${name === DEFAULT_KEY ? "" : `, ${name}`}`,
      });
      return { number, key };
    });
    return { limits, keys };
  });
  stack.output("api_key_ids", made.flatMap(({ keys }) => keys.map(({ key }) => key.id)).join(","));
  return made;
}

/** Returns API_KEYS of a function: `id=name` of each key. Without `keys` in api.yaml, or API keys, it needs none. */
export function keyEnvironment({ input }: ProjectStack, made: readonly ServiceKey[]): { API_KEYS?: string } {
  if (input.config.api.keys === undefined || made.length === 0) return {};
  return {
    API_KEYS: made.flatMap(({ limits, keys }) => keys.map(({ key }) => `${key.id}=${limits.name}`)).join(","),
  };
}

/** Adds a usage plan of the stage for each key, with its limits. */
export function usagePlans(
  stack: ProjectStack,
  service: Service,
  made: readonly ServiceKey[],
  { api, stage }: DeployedApi,
): void {
  for (const { limits, keys } of made) {
    const { name, daily_quota } = limits;
    const throttleSettings = throttleOf(limits);
    const plan = new ApiGatewayUsagePlan(stack, address("usage-plan", name), {
      name: stack.names.usagePlan(service, partOf(name)),
      apiStages: [{ apiId: api.id, stage: stage.stageName }],
      ...(throttleSettings && { throttleSettings }),
      ...(daily_quota !== undefined && { quotaSettings: { limit: daily_quota, period: "DAY" } }),
    });
    for (const { number, key } of keys) {
      new ApiGatewayUsagePlanKey(stack, address("usage-plan-key", name, number), {
        keyId: key.id,
        keyType: "API_KEY",
        usagePlanId: plan.id,
      });
    }
  }
}
