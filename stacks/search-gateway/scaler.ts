import type { ClusterScalerEnvInput } from "../../functions/cluster-scaler/env.ts";
import { clusterScalerPolicy } from "../../functions/cluster-scaler/policy.ts";
import { aliasArn } from "../../lib/infrastructure/functions.ts";
import type { OpenSearch } from "../../lib/settings/project.ts";
import { lambdaFunction } from "../constructs/function.ts";
import { schedule } from "../constructs/schedule.ts";
import { gatewayInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";

/** Adds the function that scales the cluster's data nodes, and its schedule. */
export function clusterScaler(
  stack: ProjectStack,
  scaling: NonNullable<OpenSearch["auto_scaling"]>,
  logKeyArn: string,
): void {
  const { names, input } = stack;
  const { domain } = gatewayInput(input).found;
  const scaler = lambdaFunction(stack, {
    name: "cluster-scaler",
    description: "Scales the data nodes of the search cluster by their load",
    memoryMb: 256,
    timeoutSeconds: 60,
    environment: {
      DOMAIN_NAME: domain.name,
      ACCOUNT_ID: input.discovery.account,
      MIN_INSTANCE_COUNT: String(scaling.min_instance_count),
      MAX_INSTANCE_COUNT: String(scaling.max_instance_count),
      SCALE_DOWN_CPU_PERCENT: String(scaling.scale_down_cpu_util_threshold),
      SCALE_UP_CPU_PERCENT: String(scaling.scale_up_cpu_util_threshold),
    } satisfies ClusterScalerEnvInput,
    statements: clusterScalerPolicy({
      domain: domain.arn,
      logGroup: names.arn("logs", `log-group:${names.functionLogGroup("cluster-scaler")}`),
    }),
    logKeyArn,
  });
  schedule(stack, {
    name: "cluster-scaler",
    description: "Looks at the load of the search cluster",
    expression: "rate(5 minutes)",
    role: "scheduler",
    roleDescription: `Schedules of ${input.config.project.project_name}`,
    target: {
      arn: scaler.alias.arn,
      alias: scaler.alias,
      call: {
        sid: "CallTheScaler",
        actions: ["lambda:InvokeFunction"],
        resources: [aliasArn(names, "cluster-scaler")],
      },
    },
    // No retry: the next run follows soon, with newer metrics.
    retry: { attempts: 0, seconds: 60 },
    dependsOn: scaler.ready,
  });
}
