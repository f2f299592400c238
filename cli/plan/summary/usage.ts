import type { RecipeKind } from "../../../lib/platform/contract/recommendation.ts";
import { type PlanJson, type PlannedResource, personalizeInput, resourcesOf, type Time } from "./plan-json.ts";

/** Monthly usage of an idle resource, in the units of AWS's price list. */
export interface MonthlyUsage {
  /** The line of the plan that it belongs to, such as "SageMaker instances". */
  what: string;
  /** The code of the service in the price list; undefined if the name of its usage type is not known. */
  service?: string;
  /** The end of the usage type, which follows the region's prefix. */
  usage: string;
  /** Units of a month. */
  amount: number;
}

/** Hours of a month, as AWS counts them in its calculator. */
export const MONTH_HOURS = 730;

/** What a sum leaves out of campaigns of the second version. */
export const UNPUBLISHED = "a possible minimum of campaigns with -v2 recipes";

/**
 * Returns the usage of a month in which nobody calls anything, and what its sum leaves out. Recipes of the second version
 * (`newRecipes`) are billed by request; sources disagree on whether their campaigns have a minimum. Source of the units:
 * https://aws.amazon.com/personalize/pricing/
 */
export function monthlyUsage(
  plans: readonly PlanJson[],
  time: Time,
  newRecipes: readonly RecipeKind[] = [],
): { usage: MonthlyUsage[]; without: string[] } {
  const resources = resourcesOf(plans, time);
  const memory = new Map(
    resources
      .filter(({ type }) => type === "aws_lambda_function")
      .map(({ values }) => [String(values.function_name), Number(values.memory_size ?? 128)]),
  );
  const campaigns = resources.flatMap(({ type, values }) => {
    const input = type === "aws_lambda_invocation" ? personalizeInput(values) : undefined;
    if (input?.kind !== "campaign") return [];
    const isNew = newRecipes.some((kind) => input.name?.endsWith(kind.replaceAll("_", "-")));
    return [{ isNew, hours: (input.min_provisioned_tps ?? 1) * MONTH_HOURS }];
  });
  const has = (type: string) => resources.some((resource) => resource.type === type);
  return {
    usage: [
      ...resources.flatMap((resource) => USAGE[resource.type]?.(resource, memory) ?? []),
      ...campaigns.flatMap(({ isNew, hours }) =>
        isNew ? [] : [{ what: "campaigns", usage: "TPS-hours", amount: hours }],
      ),
    ],
    without: [
      ...(campaigns.some(({ isNew }) => isNew) ? [UNPUBLISHED] : []),
      ...(has("aws_dynamodb_table") ? ["stored gigabytes"] : []),
    ],
  };
}

type Measure = (resource: PlannedResource, memory: ReadonlyMap<string, number>) => MonthlyUsage[];

const one =
  (what: string, service: string, usage: string): Measure =>
  () => [{ what, service, usage, amount: 1 }];

/** The usage types are those of AWS's bills. A type that the price list does not have leaves its part out of the sum. */
const USAGE: Readonly<Record<string, Measure>> = {
  aws_sagemaker_endpoint_configuration: ({ values }) =>
    listOf(values.production_variants).map((variant) => ({
      what: "SageMaker instances",
      service: "AmazonSageMaker",
      usage: `Host:${variant.instance_type}`,
      amount: Number(variant.initial_instance_count) * MONTH_HOURS,
    })),
  aws_lambda_provisioned_concurrency_config: ({ values }, memory) => [
    {
      what: "provisioned instances",
      service: "AWSLambda",
      usage: "Lambda-Provisioned-Concurrency-ARM",
      // By the second and gigabyte.
      amount:
        (Number(values.provisioned_concurrent_executions) *
          MONTH_HOURS *
          3_600 *
          (memory.get(String(values.function_name)) ?? 128)) /
        1_024,
    },
  ],
  aws_vpc_endpoint: ({ values }) =>
    values.vpc_endpoint_type === "Interface"
      ? [
          {
            what: "interface endpoint",
            service: "AmazonVPC",
            usage: "VpcEndpoint-Hours",
            amount: listOf(values.subnet_ids).length * MONTH_HOURS,
          },
        ]
      : [],
  aws_kms_key: one("KMS key", "awskms", "KMS-Keys"),
  aws_secretsmanager_secret: one("secret", "AWSSecretsManager", "AWSSecretsManager-Secrets"),
  aws_cloudwatch_dashboard: () => [{ what: "dashboard", usage: "dashboards", amount: 1 }],
  // An alarm on several metrics is billed for each.
  aws_cloudwatch_metric_alarm: ({ values }) => [
    {
      what: "alarm",
      service: "AmazonCloudWatch",
      usage: "CW:AlarmMonitorUsage",
      amount: Math.max(1, listOf(values.metric_query).filter(({ metric }) => listOf(metric).length > 0).length),
    },
  ],
};

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value : [];
}
