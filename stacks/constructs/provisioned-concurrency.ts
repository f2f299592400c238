import { AppautoscalingPolicy } from "@cdktf/provider-aws/lib/appautoscaling-policy/index.js";
import { AppautoscalingTarget } from "@cdktf/provider-aws/lib/appautoscaling-target/index.js";
import type { LambdaAlias } from "@cdktf/provider-aws/lib/lambda-alias/index.js";
import { LambdaProvisionedConcurrencyConfig } from "@cdktf/provider-aws/lib/lambda-provisioned-concurrency-config/index.js";
import type { FunctionName } from "../../lib/core/naming/names.ts";
import type { ProjectStack } from "../project-stack.ts";

/** `provisioned_concurrency.<function>` of api.yaml. */
export interface Concurrency {
  min_capacity: number;
  max_capacity: number;
  utilization_target: number;
}

/** Adds provisioned instances behind the alias, scaled by their utilization. */
export function provisionedConcurrency(
  stack: ProjectStack,
  name: FunctionName,
  alias: LambdaAlias,
  { min_capacity, max_capacity, utilization_target }: Concurrency,
): void {
  const config = new LambdaProvisionedConcurrencyConfig(stack, `${name}-provisioned`, {
    functionName: stack.names.function(name),
    qualifier: alias.name,
    provisionedConcurrentExecutions: min_capacity,
    // From then on scaling sets the number.
    lifecycle: { ignoreChanges: ["provisioned_concurrent_executions"] },
    dependsOn: [alias],
  });
  const target = new AppautoscalingTarget(stack, `${name}-scaling`, {
    serviceNamespace: "lambda",
    scalableDimension: "lambda:function:ProvisionedConcurrency",
    resourceId: `function:${stack.names.function(name)}:${alias.name}`,
    minCapacity: min_capacity,
    maxCapacity: max_capacity,
    dependsOn: [config],
  });
  new AppautoscalingPolicy(stack, `${name}-scaling-policy`, {
    name: stack.names.scalingPolicy(name),
    policyType: "TargetTrackingScaling",
    serviceNamespace: target.serviceNamespace,
    scalableDimension: target.scalableDimension,
    resourceId: target.resourceId,
    targetTrackingScalingPolicyConfiguration: {
      targetValue: utilization_target,
      predefinedMetricSpecification: { predefinedMetricType: "LambdaProvisionedConcurrencyUtilization" },
    },
  });
}
