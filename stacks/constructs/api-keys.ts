import { ApiGatewayApiKey } from "@cdktf/provider-aws/lib/api-gateway-api-key/index.js";
import type { ApiGatewayRestApi } from "@cdktf/provider-aws/lib/api-gateway-rest-api/index.js";
import type { ApiGatewayStage } from "@cdktf/provider-aws/lib/api-gateway-stage/index.js";
import { ApiGatewayUsagePlan } from "@cdktf/provider-aws/lib/api-gateway-usage-plan/index.js";
import { ApiGatewayUsagePlanKey } from "@cdktf/provider-aws/lib/api-gateway-usage-plan-key/index.js";
import type { Service } from "../../lib/core/naming/names.ts";
import type { ProjectStack } from "../project-stack.ts";

/** Adds the usage plan of a stage, with `throttle` of api.yaml, and its keys: two during a rotation. */
export function apiKeys(stack: ProjectStack, service: Service, api: ApiGatewayRestApi, stage: ApiGatewayStage): void {
  const { names, input } = stack;
  const { rate_limit, burst_limit, daily_quota } = input.config.api.throttle;
  const plan = new ApiGatewayUsagePlan(stack, "usage-plan", {
    name: names.usagePlan(service),
    apiStages: [{ apiId: api.id, stage: stage.stageName }],
    ...((rate_limit !== undefined || burst_limit !== undefined) && {
      throttleSettings: {
        ...(rate_limit !== undefined && { rateLimit: rate_limit }),
        ...(burst_limit !== undefined && { burstLimit: burst_limit }),
      },
    }),
    ...(daily_quota !== undefined && { quotaSettings: { limit: daily_quota, period: "DAY" } }),
  });
  const keys = input.discovery.apiKeys[service].map((number) => {
    const key = new ApiGatewayApiKey(stack, `api-key-${number}`, {
      name: names.apiKey(service, number),
      description: `${input.config.project.project_name}: ${service}`,
    });
    new ApiGatewayUsagePlanKey(stack, `usage-plan-key-${number}`, {
      keyId: key.id,
      keyType: "API_KEY",
      usagePlanId: plan.id,
    });
    return key;
  });
  stack.output("api_key_ids", keys.map(({ id }) => id).join(","));
}
