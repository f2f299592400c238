import { personalizeInput } from "./personalize-input.ts";
import type { PlanJson, PlannedResource } from "./plan-json.ts";

/** Something that costs although nobody uses it. */
export interface IdleCost {
  /** As in "SageMaker endpoint". */
  what: string;
  /** Names of those that are alike, sorted. */
  names: string[];
  /** As in "1 × ml.g5.xlarge" of each. */
  amount: string;
  billed: "by the hour" | "by the month" | "by the stored gigabyte and month";
}

/** What costs when idle after the plans of all stacks are applied. Prices differ by region: amounts alone. */
export function idleCosts(plans: readonly PlanJson[]): IdleCost[] {
  const resources = plans.flatMap((plan) => plan.planned_values?.root_module?.resources ?? []);
  const items = resources.filter(({ mode }) => mode === "managed").flatMap(costsOf);
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

/** How many interface endpoints the plans end with, and how many network interfaces they are billed as. */
export function interfaceEndpoints(plans: readonly PlanJson[]): { endpoints: number; interfaces: number } {
  const found = plans
    .flatMap((plan) => plan.planned_values?.root_module?.resources ?? [])
    .filter(({ type, values }) => type === "aws_vpc_endpoint" && values.vpc_endpoint_type === "Interface");
  const interfaces = found.reduce((sum, { values }) => sum + lengthOf(values.subnet_ids), 0);
  return { endpoints: found.length, interfaces };
}

const COSTS: Readonly<Record<string, (resource: PlannedResource) => IdleCost[]>> = {
  aws_sagemaker_endpoint_configuration: ({ values }) =>
    listOf(values.production_variants).map((variant) => ({
      what: "SageMaker instances",
      names: [String(values.name ?? "")],
      amount: `${variant.initial_instance_count} × ${variant.instance_type}`,
      billed: "by the hour",
    })),
  // Each hour of at least so many transactions a second, whether asked or not, once training has made the campaign.
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
  // Paid by the request; what is stored costs all the same, its recovery once more.
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

/** The dearest first. */
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
