import type { ServiceQuotasClient } from "@aws-sdk/client-service-quotas";
import { type Limited, QUOTAS, type QuotaReads, type Usage } from "../quotas.ts";
import { given, type SdkConfig } from "./config.ts";

/** The quotas of SageMaker's endpoints are named after the instance type. */
const ENDPOINT_USAGE = / for endpoint usage$/;

const SERVICE_CODES = { "API Gateway": "apigateway", Personalize: "personalize" } as const;

/** Reads quotas over the AWS SDK. */
export function sdkQuotas(config: SdkConfig): QuotaReads {
  return {
    async concurrency() {
      const { GetAccountSettingsCommand, LambdaClient } = await import("@aws-sdk/client-lambda");
      const { AccountLimit } = await new LambdaClient(config).send(new GetAccountSettingsCommand({}));
      return given(AccountLimit?.ConcurrentExecutions, "the limit of concurrent executions");
    },
    async requestRate() {
      return (await quotasOf(config, SERVICE_CODES["API Gateway"])).get("Throttle rate");
    },
    async endpointInstances() {
      const quotas = await quotasOf(config, "sagemaker");
      return new Map(
        [...quotas].flatMap(([name, value]) =>
          ENDPOINT_USAGE.test(name) ? [[name.replace(ENDPOINT_USAGE, ""), value] as const] : [],
        ),
      );
    },
    async usage(kinds) {
      const services = new Set(kinds.map((kind) => QUOTAS[kind].service));
      const listed = new Map(
        await Promise.all(
          [...services].map(async (service) => [service, await quotasOf(config, SERVICE_CODES[service])] as const),
        ),
      );
      const used: Partial<Record<Limited, Usage>> = {};
      for (const kind of kinds) {
        const { service, name } = QUOTAS[kind];
        used[kind] = { quota: listed.get(service)?.get(name), names: await namesOf(config, kind) };
      }
      return used;
    },
  };
}

/** Returns the account's values of a service's quotas, by their names. Quotas that AWS lists without a value are left out. */
export async function quotasOf(config: SdkConfig, ServiceCode: string): Promise<Map<string, number>> {
  const { ServiceQuotasClient, paginateListServiceQuotas } = await import("@aws-sdk/client-service-quotas");
  const client: ServiceQuotasClient = new ServiceQuotasClient(config);
  const found = new Map<string, number>();
  for await (const { Quotas = [] } of paginateListServiceQuotas({ client, pageSize: 100 }, { ServiceCode })) {
    for (const { QuotaName = "", Value } of Quotas) if (Value !== undefined) found.set(QuotaName, Value);
  }
  return found;
}

/** Returns the names of what exists in this account and region. */
async function namesOf(config: SdkConfig, kind: Limited): Promise<string[]> {
  const names: (string | undefined)[] = [];
  if (QUOTAS[kind].service === "API Gateway") {
    const api = await import("@aws-sdk/client-api-gateway");
    const paging = { client: new api.APIGatewayClient(config), pageSize: 500 };
    const pages = {
      apis: api.paginateGetRestApis,
      usagePlans: api.paginateGetUsagePlans,
      apiKeys: api.paginateGetApiKeys,
    }[kind as "apis" | "usagePlans" | "apiKeys"];
    for await (const { items = [] } of pages(paging, {})) names.push(...items.map(({ name }) => name));
  } else {
    const personalize = await import("@aws-sdk/client-personalize");
    const paging = { client: new personalize.PersonalizeClient(config), pageSize: 100 };
    if (kind === "schemas") {
      for await (const { schemas = [] } of personalize.paginateListSchemas(paging, {})) {
        names.push(...schemas.map(({ name }) => name));
      }
    } else {
      for await (const { datasetGroups = [] } of personalize.paginateListDatasetGroups(paging, {})) {
        names.push(...datasetGroups.map(({ name }) => name));
      }
    }
  }
  return names.flatMap((name) => name ?? []);
}
