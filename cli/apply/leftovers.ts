import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../lib/platform/failure.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import { domainSuffixOf } from "../../lib/platform/naming/partitions.ts";
import { PROJECT_TAG } from "../../lib/platform/naming/tags.ts";
import type { Planned } from "../plan/planned.ts";
import type { PlanJson, ResourceChange } from "../plan/summary/plan-json.ts";
import type { Project } from "../project.ts";
import { TerraformFailure } from "../terraform/explain.ts";
import type { Diagnostic } from "../terraform/messages.ts";
import { type Runner, type StackFolder, untaint } from "../terraform/stack.ts";

/** Resources that interrupted deployments left behind and this deployment imports, by stack. */
export class Leftovers {
  readonly #project: Project;
  readonly #found = new Map<string, Leftover[]>();

  constructor(project: Project) {
    this.#project = project;
  }

  /**
   * Returns whether an apply failed because resources already exist, and stores them so that the next plan imports
   * them.
   */
  async take(error: unknown, { stacks }: Planned, runner: Runner): Promise<boolean> {
    if (!(error instanceof TerraformFailure)) return false;
    const failed = stacks.find(({ stack }) => stack.name === error.stackName);
    if (!failed) return false;
    const { stack, plan } = failed;
    const known = this.#found.get(stack.name) ?? [];
    const fresh = leftoversIn(error.diagnostics, plan, this.#project).filter(
      ({ to }) => !known.some((one) => one.to === to),
    );
    const tainted = taintedIn(error.diagnostics, plan);
    if (fresh.length + tainted.length === 0) return false;
    for (const address of tainted) await untaint(runner, stack, address);
    this.#found.set(stack.name, [...known, ...fresh]);
    const list = [...tainted, ...fresh.map(({ to }) => to)].map((address) => `  ${address}`).join("\n");
    this.#project.terminal.note(
      `An interrupted deployment left these resources behind. Planning again with them:\n${list}`,
    );
    return true;
  }

  /** Throws Failure for resources of the same name that do not belong to this project. */
  check({ stacks }: Planned): void {
    const { project_name: value } = this.#project.config.project;
    for (const { stack, plan } of stacks) {
      const strangers = strangersIn(plan, this.#found.get(stack.name) ?? [], { key: PROJECT_TAG, value });
      if (strangers.length === 0) continue;
      throw new Failure(
        `These resources already exist without the tag ${PROJECT_TAG}=${value}: ${strangers.join(", ")}. ` +
          "They do not belong to this project: remove them, or choose another project_name",
      );
    }
  }

  /** Makes the next plans import the remembered resources. */
  async write(stacks: readonly StackFolder[]): Promise<void> {
    for (const { name, directory } of stacks) await writeLeftovers(directory, this.#found.get(name) ?? []);
  }

  /** Stops the imports, once the resources are in the state. */
  async clear(stacks: readonly StackFolder[]): Promise<void> {
    for (const { directory } of stacks) await writeLeftovers(directory, []);
  }
}

/**
 * A resource that AWS created during an interrupted apply, without Terraform seeing the answer. It is not in the state,
 * so the next apply fails because it exists, and then imports it.
 */
interface Leftover {
  /** Address, such as `aws_iam_role.api-router-role`. */
  to: string;
  /** The provider's import id, or an expression that reads it from the data source. */
  id: string;
  /** Finds a resource whose id does not follow from its name. */
  dataSource?: DataSource;
}

/** A data source of the provider, with its arguments. */
interface DataSource {
  type: string;
  arguments: object;
}

/** File beside the synthesized one, in a stack's folder. */
const FILE = "leftovers.tf.json";

/** The last one is how EC2 refuses a second interface endpoint of a service, whose private name the first one has. */
const EXISTS =
  /already ?exist|AlreadyOwnedByYou|ResourceExistsException|ResourceInUseException|already a conflicting DNS domain/i;

type Values = Readonly<Record<string, unknown>>;

/** Where the resources are, for ids that contain it. */
interface LeftoverPlace {
  account: string;
  sdk: Pick<Project["sdk"], "region">;
  names: Pick<Names, "arn" | "partition">;
}

type ImportId = (values: Values, place: LeftoverPlace, message: string) => unknown;

/**
 * Import ids of types with unique names, from the planned values or from AWS's message. Source: the provider's
 * documentation. Types that adopt an existing resource on creation (EventBridge rules and targets, alarms, dashboards,
 * role policies) need none, nor do types without unique names (KMS keys, API keys, usage plans). `removeEmptyApis` deletes
 * APIs. A DNS record may be somebody else's, and has no tags that tell.
 */
const IDS: Readonly<Record<string, ImportId>> = {
  aws_iam_role: ({ name }) => name,
  aws_s3_bucket: ({ bucket }) => bucket,
  aws_kms_alias: ({ name }) => name,
  aws_cloudwatch_log_group: ({ name }) => name,
  aws_lambda_function: ({ function_name }) => function_name,
  aws_lambda_alias: ({ function_name, name }) => both(function_name, "/", name),
  aws_sagemaker_model: ({ name }) => name,
  aws_sagemaker_endpoint_configuration: ({ name }) => name,
  aws_sagemaker_endpoint: ({ name }) => name,
  aws_api_gateway_domain_name: ({ domain_name }) => domain_name,
  aws_scheduler_schedule: ({ name }) => both("default", "/", name),
  aws_glue_catalog_database: ({ name }, { account }) => both(account, ":", name),
  aws_glue_catalog_table: ({ database_name, name }, { account }) => both(both(account, ":", database_name), ":", name),
  aws_dynamodb_table: ({ name }) => name,
  aws_cloudwatch_log_stream: ({ log_group_name, name }) => both(log_group_name, ":", name),
  aws_kinesis_firehose_delivery_stream: ({ name }, place) =>
    arnOf(place, "firehose", both("deliverystream", "/", name)),
  aws_sfn_state_machine: ({ name }, place) => arnOf(place, "states", both("stateMachine", ":", name)),
  // AWS accepts creating a topic or queue again if nothing differs, tags included.
  aws_sns_topic: ({ name }, place) => arnOf(place, "sns", name),
  aws_sqs_queue: ({ name }, { account, sdk: { region } }) =>
    both(`https://sqs.${region}.${domainSuffixOf(region)}/${account}`, "/", name),
  aws_lambda_event_source_mapping: (_, __, message) => /with UUID ([\da-f-]{36})/i.exec(message)?.[1],
  aws_lambda_permission: ({ function_name, qualifier, statement_id }) =>
    both(qualifier ? both(function_name, ":", qualifier) : function_name, "/", statement_id),
  aws_api_gateway_base_path_mapping: ({ domain_name, base_path }) => both(domain_name, "/", base_path ?? ""),
  aws_api_gateway_stage: ({ rest_api_id, stage_name }) => both(rest_api_id, "/", stage_name),
  aws_api_gateway_usage_plan_key: ({ usage_plan_id, key_id }) => both(usage_plan_id, "/", key_id),
};

type Finder = (values: Values) => DataSource & { attribute: string };

/** Rules are told apart by their Name: AWS's message has no id. */
const ruleFinder: Finder = ({ security_group_id: group, tags }) => ({
  type: "aws_vpc_security_group_rules",
  arguments: {
    filter: [
      { name: "group-id", values: [group] },
      { name: "tag:Name", values: [(tags as { Name?: string } | null)?.Name] },
    ],
  },
  attribute: "ids[0]",
});

/** Data sources for types whose import id AWS assigns. */
const FINDERS: Readonly<Record<string, Finder>> = {
  aws_security_group: ({ name, vpc_id }) => ({
    type: "aws_security_group",
    arguments: { name, vpc_id },
    attribute: "id",
  }),
  aws_secretsmanager_secret: ({ name }) => ({
    type: "aws_secretsmanager_secret",
    arguments: { name },
    attribute: "arn",
  }),
  aws_vpc_endpoint: ({ vpc_id, service_name }) => ({
    type: "aws_vpc_endpoint",
    arguments: { vpc_id, service_name },
    attribute: "id",
  }),
  aws_vpc_security_group_egress_rule: ruleFinder,
  aws_vpc_security_group_ingress_rule: ruleFinder,
};

/** Returns the resources that the plan creates but that already exist. Skips types without an import id. */
export function leftoversIn(diagnostics: readonly Diagnostic[], plan: PlanJson, place: LeftoverPlace): Leftover[] {
  return existing(diagnostics, plan).flatMap(({ address, type, name, change }) => {
    if (change.actions.includes("delete")) return [];
    const values = (change.after ?? {}) as Values;
    const found = FINDERS[type]?.(values);
    if (found) {
      const { attribute, ...dataSource } = found;
      return [{ to: address, id: `\${data.${found.type}.${name}.${attribute}}`, dataSource }];
    }
    const said = diagnostics
      .filter((one) => one.address === address)
      .map(({ summary, detail }) => `${summary} ${detail}`);
    const id = IDS[type]?.(values, place, said.join("\n"));
    return typeof id === "string" ? [{ to: address, id }] : [];
  });
}

/**
 * Returns the addresses of existing resources that Terraform wants to replace because it did not see their creation
 * finish. If Terraform creates the new one first, the old one still has its name.
 */
export function taintedIn(diagnostics: readonly Diagnostic[], plan: PlanJson): string[] {
  const found = existing(diagnostics, plan).filter((one) => one.action_reason === "replace_because_tainted");
  return found.map(({ address }) => address);
}

/** Returns the resources that could not be created because they exist. */
function existing(diagnostics: readonly Diagnostic[], plan: PlanJson): ResourceChange[] {
  const failed = diagnostics.filter(
    ({ severity, summary, detail = "" }) => severity === "error" && EXISTS.test(`${summary} ${detail}`),
  );
  const addresses = new Set(failed.map(({ address }) => address));
  const changes = plan.resource_changes ?? [];
  return changes.filter(({ address, change }) => addresses.has(address) && change.actions.includes("create"));
}

function both(first: unknown, between: string, second: unknown): string | undefined {
  return typeof first === "string" && typeof second === "string" ? `${first}${between}${second}` : undefined;
}

function arnOf({ names }: LeftoverPlace, service: string, resource: unknown): string | undefined {
  return typeof resource === "string" ? names.arn(service, resource) : undefined;
}

/** Makes the next plan of a stack import these resources; with none, stops importing. */
export async function writeLeftovers(directory: string, leftovers: readonly Leftover[]): Promise<void> {
  const file = join(directory, FILE);
  if (leftovers.length === 0) return rm(file, { force: true });
  const data: Record<string, Record<string, object>> = {};
  for (const { to, dataSource } of leftovers) {
    if (!dataSource) continue;
    // The address is the type and the name.
    data[dataSource.type] = { ...data[dataSource.type], [to.split(".")[1] ?? ""]: dataSource.arguments };
  }
  const imports = leftovers.map(({ to, id }) => ({ to, id }));
  await writeFile(
    file,
    JSON.stringify({ ...(Object.keys(data).length > 0 && { data }), import: imports }, undefined, 2),
  );
}

/** Returns the imported resources without the project's tag: they have the same name but belong to something else. */
export function strangersIn(
  plan: PlanJson,
  leftovers: readonly Leftover[],
  tag: { key: string; value: string },
): string[] {
  const isStrange = ({ address, change }: ResourceChange) => {
    const { tags_all: tags } = (change.before ?? {}) as { tags_all?: Record<string, string> | null };
    const taken = leftovers.some(({ to }) => to === address);
    return taken && tags !== undefined && tags?.[tag.key] !== tag.value;
  };
  return (plan.resource_changes ?? []).filter(isStrange).map(({ address }) => address);
}
