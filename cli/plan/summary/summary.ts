import { type AttributeChange, attributeChanges } from "./attributes.ts";
import { capacityNotes } from "./capacity.ts";
import { type IdleCost, idleCosts } from "./idle-costs.ts";
import { type Action, type PlanJson, personalizeInput, type ResourceChange, resourcesOf } from "./plan-json.ts";

/** A resource that changes. */
export interface PlannedChange {
  /** Such as `aws_lambda_function.api-router`. */
  address: string;
  action: Action;
  /** The changed attributes; empty if the resource is created or deleted. */
  attributes: AttributeChange[];
  risk?: Risk;
}

/** A stack's part of a plan. */
export interface StackSummary {
  stack: string;
  changes: PlannedChange[];
  /** Whether the stack has no resource yet. */
  isNew: boolean;
}

/** Monthly idle cost by AWS's list prices. */
export interface MonthlySum {
  /** US dollars, without taxes, discounts and free tiers. */
  dollars: number;
  /** Dollars by what they are for, such as "SageMaker instances". */
  parts: Record<string, number>;
  /** The cost before the apply. */
  before: { dollars: number; parts: Record<string, number> };
  /** Items without a known price, which the sum leaves out. */
  without: string[];
  /** What is priced by AWS's pages for us-east-1, because the region's list has no price. */
  byPage: string[];
  /** The day on which the oldest of the prices was read. */
  read: string;
}

/** The plan of all stacks, for people. */
export interface PlanSummary {
  stacks: StackSummary[];
  counts: Record<Action, number>;
  /** Whether applying changes anything; changed outputs count too. */
  changes: boolean;
  /** Once all plans are applied. */
  idleCosts: IdleCost[];
  idleCostsBefore: IdleCost[];
  /** Absent where prices cannot be had. */
  monthlySum?: MonthlySum;
  /** Notes on what this plan changes. */
  notes: string[];
  /** Notes that stand whatever a plan changes. */
  standing: string[];
}

/** Notes for the reader of a plan. */
export type PlanNotes = Pick<PlanSummary, "notes" | "standing">;

/** Summarizes the plans of stacks, in the given order. */
export function summarize(
  plans: readonly { stack: string; plan: PlanJson }[],
  { notes, standing }: PlanNotes,
): PlanSummary {
  const stacks = plans.map(({ stack, plan }) => {
    const changes = changesOf(plan);
    const creates = changes.length > 0 && changes.every(({ action }) => action === "create");
    return { stack, changes, isNew: creates && resourcesOf([plan], "before").length === 0 };
  });
  const counts = { create: 0, update: 0, replace: 0, delete: 0, forget: 0, import: 0 };
  for (const { action } of stacks.flatMap(({ changes }) => changes)) counts[action] += 1;
  const json = plans.map(({ plan }) => plan);
  return {
    stacks,
    counts,
    changes: Object.values(counts).some((count) => count > 0) || json.some(changesOutputs),
    idleCosts: idleCosts(json, "after"),
    idleCostsBefore: idleCosts(json, "before"),
    notes: [...notes, ...json.flatMap(rolledBackNotes), ...json.flatMap(capacityNotes)],
    standing,
  };
}

function changesOutputs({ output_changes = {} }: PlanJson): boolean {
  return Object.values(output_changes).some(({ actions }) => !actions.includes("no-op"));
}

function changesOf(plan: PlanJson): PlannedChange[] {
  const managed = (plan.resource_changes ?? []).filter(({ mode }) => mode === "managed");
  return managed.flatMap((resource) => {
    const action = actionOf(resource);
    if (action === undefined) return [];
    const { change, address } = resource;
    const risk = riskOf(resource, action);
    const attributes = action === "update" || action === "replace" ? attributeChanges(change) : [];
    return [{ address, action, attributes, ...(risk && { risk }) }];
  });
}

function actionOf({ change: { actions, importing } }: ResourceChange): Action | undefined {
  const has = (action: string) => actions.includes(action);
  if (has("create") && (has("delete") || has("forget"))) return "replace";
  if (has("forget")) return "forget";
  if (importing) return "import";
  if (has("create")) return "create";
  if (has("update")) return "update";
  if (has("delete")) return "delete";
  return undefined;
}

/** Effect of a removal or replacement on users of the deployment. */
interface Risk {
  kind: "data" | "url" | "key" | "interruption";
  /** Completes the line "<address> is deleted: …". */
  effect: string;
}

/** Resource types whose removal or replacement users notice. The others hold no data and can be created again. */
const RISKS: Readonly<Record<string, Risk>> = {
  aws_s3_bucket: { kind: "data", effect: "all objects in it are lost" },
  // AWS backs up deleted tables that have it. Source: "Point-in-time recovery", DynamoDB Developer Guide.
  aws_dynamodb_table: {
    kind: "data",
    effect: "all records in it are lost, except a backup that AWS keeps for 35 days",
  },
  aws_kms_key: { kind: "data", effect: "data encrypted with it becomes unreadable, after 30 days permanently" },
  aws_secretsmanager_secret: { kind: "data", effect: "its value is lost" },
  aws_cloudwatch_log_group: { kind: "data", effect: "the log in it is lost" },
  aws_sqs_queue: { kind: "data", effect: "messages waiting in it are lost" },
  aws_kinesis_firehose_delivery_stream: { kind: "data", effect: "records of the last minutes may be lost" },
  aws_lambda_event_source_mapping: {
    kind: "interruption",
    effect: "messages wait in its queue until it exists again",
  },
  aws_sfn_state_machine: { kind: "interruption", effect: "its running executions stop, including a training" },
  aws_api_gateway_rest_api: { kind: "url", effect: "the execute-api URL changes" },
  aws_api_gateway_stage: { kind: "url", effect: "the API does not answer at its URL until the stage exists again" },
  aws_api_gateway_domain_name: { kind: "url", effect: "the API does not answer at its host name" },
  aws_api_gateway_base_path_mapping: { kind: "url", effect: "the API does not answer at its host name" },
  aws_route53_record: { kind: "url", effect: "the host name does not resolve" },
  aws_api_gateway_api_key: { kind: "key", effect: "callers need the new API key" },
  aws_api_gateway_usage_plan_key: { kind: "key", effect: "callers with that API key are rejected" },
  aws_api_gateway_usage_plan: { kind: "key", effect: "callers are rejected until it exists again" },
  aws_sagemaker_endpoint: {
    kind: "interruption",
    effect: "the model does not answer until the endpoint exists again",
  },
  aws_vpc_endpoint: {
    kind: "interruption",
    effect: "whatever in the VPC calls its service needs another way to it; its private names served the whole VPC",
  },
  aws_lambda_function: { kind: "interruption", effect: "requests fail until the function exists again" },
  aws_lambda_alias: { kind: "interruption", effect: "requests fail until the alias exists again" },
};

/** Risks of Personalize resources, by kind. A schema holds no data; its dataset does. */
const PERSONALIZE_RISKS: Readonly<Record<string, Risk>> = {
  dataset_group: { kind: "data", effect: "the dataset group is lost with all imported data and models" },
  dataset: { kind: "data", effect: "its imported data is lost, and the next training starts without it" },
  event_tracker: { kind: "interruption", effect: "events do not reach Personalize until it exists again" },
  filter: { kind: "interruption", effect: "requests that use the filter are rejected" },
  campaign: {
    kind: "interruption",
    effect: "recommendations of its recipe are answered without it until it exists again",
  },
};

/** Returns the risk of an action on a resource; undefined if there is none. */
function riskOf({ type, change }: ResourceChange, action: Action): Risk | undefined {
  if (action !== "delete" && action !== "replace") return undefined;
  const createsFirst = change.actions[0] === "create";
  // The function calls the new endpoint before the old one is deleted.
  if (type === "aws_sagemaker_endpoint" && createsFirst) return undefined;
  if (type !== "aws_lambda_invocation") return RISKS[type];
  const { kind = "" } = personalizeInput(change.before) ?? {};
  // A changed expression is a new filter, which is active before the old one is deleted.
  return kind === "filter" && createsFirst ? undefined : PERSONALIZE_RISKS[kind];
}

/** Returns a note for each function that `rollback` put back and that the plan moves forward again. */
function rolledBackNotes({ resource_changes: changes = [] }: PlanJson): string[] {
  return changes.flatMap((alias) => {
    if (alias.type !== "aws_lambda_alias" || !alias.change.actions.includes("update")) return [];
    const { function_name: name, function_version: live } = valuesOf(alias);
    const deployed = changes.find((one) => one.type === "aws_lambda_function" && valuesOf(one).function_name === name);
    const newest = deployed && valuesOf(deployed).version;
    if (!newest || Number(live) >= Number(newest)) return [];
    return [`${name} was rolled back to version ${live}: this plan moves it forward again`];
  });
}

function valuesOf({ change }: ResourceChange): Readonly<Record<string, unknown>> {
  return (change.before ?? {}) as Record<string, unknown>;
}
