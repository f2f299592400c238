import { type PlanJson, type PlannedResource, personalizeInput, resourcesOf, type Time } from "./plan-json.ts";

/** Resources that cost money even when nobody uses them. */
export interface IdleCost {
  /** Kind of resource, such as "KMS key". */
  what: string;
  /** Names of the resources with the same kind and amount, sorted. */
  names: string[];
  /** Amount of each, such as "1 × ml.g5.xlarge". */
  amount: string;
  billed: "by the hour" | "by the month" | "by the stored gigabyte and month";
}

/** Returns what costs money when idle. Gives amounts only, since prices differ by region. */
export function idleCosts(plans: readonly PlanJson[], time: Time): IdleCost[] {
  const items = resourcesOf(plans, time).flatMap(costsOf);
  const alike = new Map<string, IdleCost>();
  for (const item of items) {
    const key = JSON.stringify([item.what, item.amount]);
    const known = alike.get(key);
    if (known) known.names.push(...item.names);
    else alike.set(key, item);
  }
  for (const { names } of alike.values()) names.sort();
  const costs = [...alike.values()];
  return costs.sort((a, b) => order(a.what, b.what));
}

const COSTS: Readonly<Record<string, (resource: PlannedResource) => IdleCost[]>> = {
  aws_sagemaker_endpoint_configuration: ({ values }) =>
    listOf(values.production_variants).map((variant) => ({
      what: "SageMaker instances",
      names: [String(values.name ?? "")],
      amount: `${variant.initial_instance_count} × ${variant.instance_type}`,
      billed: "by the hour",
    })),
  // Once training has created the campaign, each hour is billed for at least this many transactions per second.
  // Source: "Real-time recommendations", https://aws.amazon.com/personalize/pricing/
  aws_lambda_invocation: ({ values }) => {
    const { kind, name = "", min_provisioned_tps = 1 } = personalizeInput(values) ?? {};
    if (kind !== "campaign") return [];
    return [{ what: "campaigns", names: [name], amount: `at least ${min_provisioned_tps} TPS`, billed: "by the hour" }];
  },
  aws_lambda_provisioned_concurrency_config: ({ values }) => [
    {
      what: "provisioned instances",
      names: [String(values.function_name ?? "")],
      amount: `at least ${values.provisioned_concurrent_executions}`,
      billed: "by the hour",
    },
  ],
  aws_vpc_endpoint: ({ values, name }) =>
    values.vpc_endpoint_type === "Interface"
      ? [
          {
            what: "interface endpoint",
            names: [
              String(values.service_name ?? name)
                .split(".")
                .slice(3)
                .join("."),
            ],
            amount: `1 in ${lengthOf(values.subnet_ids)} zones`,
            billed: "by the hour",
          },
        ]
      : [],
  // Requests are billed by use; storage is billed always, and once more with point-in-time recovery.
  // Source: "Pricing for on-demand capacity mode", https://aws.amazon.com/dynamodb/pricing/on-demand/
  aws_dynamodb_table: ({ values, name }) => {
    const recoverable = listOf(values.point_in_time_recovery).some(({ enabled }) => enabled === true);
    const what = recoverable ? "table with point-in-time recovery" : "table";
    return [{ what, names: [name], amount: "1", billed: "by the stored gigabyte and month" }];
  },
  aws_kms_key: ({ name }) => [{ what: "KMS key", names: [name], amount: "1", billed: "by the month" }],
  aws_secretsmanager_secret: ({ name }) => [{ what: "secret", names: [name], amount: "1", billed: "by the month" }],
  aws_cloudwatch_metric_alarm: ({ name }) => [{ what: "alarm", names: [name], amount: "1", billed: "by the month" }],
  aws_cloudwatch_dashboard: ({ name }) => [{ what: "dashboard", names: [name], amount: "1", billed: "by the month" }],
};

function costsOf(resource: PlannedResource): IdleCost[] {
  return COSTS[resource.type]?.(resource) ?? [];
}

/** Most expensive first. */
const ORDER = [
  "SageMaker instances",
  "campaigns",
  "provisioned instances",
  "interface endpoint",
  "KMS key",
  "secret",
  "alarm",
];

function order(a: string, b: string): number {
  const rank = (what: string) => (ORDER.includes(what) ? ORDER.indexOf(what) : ORDER.length);
  return rank(a) - rank(b);
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value : [];
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
