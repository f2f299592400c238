import {
  type Inventory,
  readInventory,
  recipeOfSolution,
  type Version,
} from "../../lib/personalize/resources/inventory.ts";
import { RECIPE_KINDS, type RecipeKind } from "../../lib/platform/contract/recommendation.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import { table } from "../../lib/platform/table.ts";
import { GATE_METRIC } from "../../lib/recommendation/training/gate.ts";
import type { JudgedVersion, Lock, Note } from "../../lib/recommendation/training/state.ts";
import { shownTime } from "../terminal.ts";
import { endText } from "./follow-execution.ts";
import { reading, type Target } from "./target.ts";

/**
 * Returns the run that holds the training lock, and whether it is running or why it failed. Null if no run holds it.
 */
export async function readTraining({ state, sdk }: Target): Promise<ProjectStatus["training"]> {
  const lock = await reading("dynamodb:GetItem", state.lock());
  if (!lock) return null;
  const { DescribeExecutionCommand, SFNClient } = await import("@aws-sdk/client-sfn");
  const command = new DescribeExecutionCommand({ executionArn: lock.execution });
  const sfn = new SFNClient({ ...sdk, maxAttempts: 6 });
  const found = await reading("states:DescribeExecution", ifExecution(sfn.send(command)));
  if (found?.status === "RUNNING" || found?.status === "PENDING_REDRIVE") return { ...lock, running: true };
  return { ...lock, running: false, failure_reason: found ? endText(found) : "Step Functions no longer knows it" };
}

/**
 * Returns undefined for a deleted execution. AWS deletes executions after 90 days, the local stack when it is reset.
 */
async function ifExecution<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Error && error.name === "ExecutionDoesNotExist") return undefined;
    throw error;
  }
}

/** Reads everything that `status` shows. */
export async function readStatus(target: Target): Promise<ProjectStatus> {
  const { personalize, names, state } = target;
  const [inventory, training, data, held] = await Promise.all([
    reading("personalize:Describe*", readInventory(personalize, names, { metrics: true })),
    readTraining(target),
    reading("dynamodb:GetItem", state.data()),
    Promise.all(
      RECIPE_KINDS.map(async (recipe) => {
        const known = await reading("dynamodb:GetItem", state.recipe(recipe));
        return [recipe, known?.held ?? []] as const;
      }),
    ),
  ]);
  return {
    ...inventory,
    training,
    large: data?.large ?? null,
    left_out: data?.left_out ?? null,
    unknown: data?.unknown ?? null,
    untrained: data?.untrained ?? null,
    yardstick: data?.yardstick ?? null,
    held: Object.fromEntries(held.filter(([, versions]) => versions.length > 0)),
  };
}

/** Everything that `status` shows. */
interface ProjectStatus extends Inventory {
  /** The training that is running, or that failed and was not started again. Null if there is none. */
  training: (Lock & { note?: Note; running: boolean; failure_reason?: string }) | null;
  /** Which limits of Personalize the data of the last training is near, or beyond. Null if none. */
  large: string | null;
  /** Which events the last training left out because of their types. Null if none. */
  left_out: string | null;
  /** How many events of the last training name items and users that are not stored. Null if none. */
  unknown: string | null;
  /** Why the last training did not train the built-in engine. Null if it did. */
  untrained: string | null;
  /** How good Personalize, the built-in engine and popularity are, as of the last training. Null before the first one. */
  yardstick: string | null;
  /** By recipe: the versions that the metric gate held back, oldest first. */
  held: Partial<Record<RecipeKind, readonly JudgedVersion[]>>;
}

/** The offline metrics in the table. `--json` shows all metrics. */
const METRICS: readonly [title: string, name: string][] = [
  ["NDCG@25", GATE_METRIC],
  ["MRR@25", "mean_reciprocal_rank_at_25"],
  ["Coverage", "coverage"],
];

/** The metrics of Personalize. Source: its developer guide, "Evaluating a solution version with metrics". */
const METRICS_MEASURE =
  "Personalize measured these figures itself during training: it predicted the newest tenth of the events of test users (a " +
  "tenth of all users; the local stack tests all) from their other events. Items that a user has seen before count, and " +
  "so do items that are not stored. Use them to compare versions: a test through the API with items that are new to a " +
  "user measures something else, and is usually lower.";

/** Formats filters as a table. */
function filterTable(filters: Inventory["filters"]): string {
  return table(
    ["Name", "ARN", "Status", "Filter Expression", "Last Updated"],
    filters.map(({ name, arn, status, expression, last_updated }) => [
      name,
      arn,
      status,
      // A line break would break the table.
      expression.replaceAll(/\s+/g, " "),
      shownTime(last_updated),
    ]),
  );
}

/** Formats the status as text. `heading` highlights a title. */
export function statusText(status: ProjectStatus, names: Names, heading: (title: string) => string): string {
  const { dataset_group: group } = status;
  if (!group) return `There is no dataset group ${names.datasetGroup()}: \`relevance deploy\` creates it.`;
  const sections: [string, string][] = [
    ["Dataset group", table(["Name", "ARN", "Status"], [[group.name, group.arn, group.status]])],
    ["Datasets", datasets(status)],
    ["Event tracker", eventTracker(status)],
    ["Solutions", solutions(status, names)],
    ["Campaigns", campaigns(status)],
    ["Filters", status.filters.length === 0 ? "none" : filterTable(status.filters)],
    [
      "Training",
      [
        training(status),
        ...[status.large, status.left_out, status.unknown, status.untrained, status.yardstick].filter(
          (text) => text !== null,
        ),
        ...heldModels(status),
      ].join("\n"),
    ],
  ];
  const failures = reasons(status);
  if (failures.length > 0) sections.push(["Failures", failures.join("\n")]);
  return sections.map(([title, text]) => `${heading(title)}\n${text}`).join("\n\n");
}

function datasets({ datasets: found }: Inventory): string {
  if (found.length === 0) return "none";
  return table(
    ["Dataset", "Name", "Status", "Schema", "Last Updated"],
    found.map(({ dataset, name, status, schema_arn, last_updated }) => [
      `${dataset}s`,
      name,
      status,
      lastPart(schema_arn),
      shownTime(last_updated),
    ]),
  );
}

function eventTracker({ event_tracker: tracker }: Inventory): string {
  return tracker
    ? table(["Name", "Status", "Tracking ID"], [[tracker.name, tracker.status, tracker.tracking_id]])
    : "none";
}

function solutions({ solutions: found, campaigns, held }: ProjectStatus, names: Names): string {
  if (found.length === 0) return "none: nothing is trained yet";
  const serving = new Set(campaigns.map(({ solution_version_arn }) => solution_version_arn));
  const role = ({ arn }: Version, solution: string) => {
    const recipe = recipeOfSolution(names, solution);
    if (serving.has(arn)) return "active";
    return recipe && held[recipe]?.some(({ version }) => version === arn) ? "held back" : "";
  };
  const rows = found.flatMap(({ name, status, recipe, versions }) =>
    versions.length === 0
      ? [[recipe ?? "", name, "", status]]
      : versions.map((version) => [
          recipe ?? "",
          name,
          version.name,
          version.status,
          ...METRICS.map(([, metric]) => version.metrics?.[metric]?.toFixed(4) ?? ""),
          role(version, name),
          shownTime(version.last_updated),
        ]),
  );
  const versions = table(
    ["Recipe", "Solution", "Version", "Status", ...METRICS.map(([title]) => title), "Use", "Last Updated"],
    rows,
  );
  return `${versions}\n${METRICS_MEASURE}`;
}

function campaigns({ campaigns: found }: Inventory): string {
  if (found.length === 0) return "none: training creates them (`relevance train`)";
  return table(
    ["Recipe", "Name", "Status", "Min TPS", "Solution Version", "Last Updated"],
    found.map(({ recipe, name, status, update, min_provisioned_tps, solution_version_arn, last_updated }) => [
      recipe,
      name,
      update && update.status !== "ACTIVE" ? `${status}, update ${update.status}` : status,
      String(min_provisioned_tps),
      solution_version_arn.split("/").slice(-2).join("/"),
      shownTime(last_updated),
    ]),
  );
}

function training({ training: found }: ProjectStatus): string {
  if (!found) return "none is running";
  const { run, mode, recipes, startedAt, note, running, failure_reason } = found;
  const what = `${run} (${mode}: ${recipes.join(", ")}), started ${shownTime(startedAt)}`;
  const where = note ? `\n${note.step}: ${note.detail}` : "";
  if (running) return `${what}${where}`;
  return `${what}, failed${where}\n${failure_reason}\n\`relevance train\` starts it again and resumes where it stopped.`;
}

/** Says why the newest model of a recipe was held back, and how to switch to it. */
function heldModels({ held }: ProjectStatus): string[] {
  return Object.entries(held).map(
    ([recipe, versions]) =>
      `${recipe}: ${versions.at(-1)?.reason}. To switch anyway: relevance train --accept ${recipe}`,
  );
}

function reasons({ dataset_group, datasets, event_tracker, filters, solutions, campaigns }: Inventory): string[] {
  const entries = [
    ...[dataset_group, event_tracker].filter((one) => one !== null),
    ...datasets,
    ...filters,
    ...solutions.flatMap((solution) => [solution, ...solution.versions]),
    ...campaigns.flatMap(({ update, ...campaign }) => [campaign, ...(update ? [update] : [])]),
  ];
  return entries.flatMap(({ name, status, failure_reason }) =>
    failure_reason === undefined ? [] : [`${name} is ${status}: ${failure_reason}`],
  );
}

const lastPart = (arn: string) => arn.slice(arn.lastIndexOf("/") + 1);
