import type { QuotaReads } from "../quotas.ts";
import { given, type SdkConfig } from "./config.ts";

/** The quotas of SageMaker's endpoints are named after the instance type. */
const ENDPOINT_USAGE = / for endpoint usage$/;

/** Reads quotas over the AWS SDK. */
export function sdkQuotas(config: SdkConfig): QuotaReads {
  return {
    async concurrency() {
      const { GetAccountSettingsCommand, LambdaClient } = await import("@aws-sdk/client-lambda");
      const { AccountLimit } = await new LambdaClient(config).send(new GetAccountSettingsCommand({}));
      return given(AccountLimit?.ConcurrentExecutions, "the limit of concurrent executions");
    },
    async endpointInstances() {
      const { ServiceQuotasClient, paginateListServiceQuotas } = await import("@aws-sdk/client-service-quotas");
      const client = new ServiceQuotasClient(config);
      const found = new Map<string, number>();
      for await (const { Quotas = [] } of paginateListServiceQuotas(
        { client, pageSize: 100 },
        { ServiceCode: "sagemaker" },
      )) {
        for (const { QuotaName = "", Value } of Quotas) {
          if (ENDPOINT_USAGE.test(QuotaName) && Value !== undefined)
            found.set(QuotaName.replace(ENDPOINT_USAGE, ""), Value);
        }
      }
      return found;
    },
  };
}
