import { DescribeDatasetCommand, DescribeDatasetGroupCommand } from "@aws-sdk/client-personalize";
import { ifThere } from "../../aws/errors.ts";
import { DATASETS } from "../../config/avro.ts";
import { RECIPE_KINDS, type RecipeKind } from "../../config/recipes.ts";
import { datasetGroupArn } from "../../personalize/resources/dataset-group.ts";
import { comparableDays } from "../clients/accepted-events.ts";
import { daysUntil, type EventCheck, type TrainingMode } from "../etl/settings.ts";
import type { TrainingContext } from "./context.ts";
import type { Lock } from "./state.ts";
import { TrainingError } from "./training-error.ts";

/** What a training was asked for. */
export interface BeginInput {
  run: string;
  /** ARN of the execution. */
  execution: string;
  /** ISO 8601. */
  startedAt: string;
  mode: TrainingMode;
  /** Absent: all that are configured. */
  recipes?: readonly RecipeKind[] | undefined;
  acceptMissing: boolean;
}

/** What the later steps work from; the execution's state. */
export interface Begun {
  mode: TrainingMode;
  recipes: RecipeKind[];
  /** What ETL counts. */
  checks: EventCheck[];
  origin: string;
  startedAt: string;
  /** Events accepted before the training began, of the days whose counters are compared. */
  accepted: number;
  acceptMissing: boolean;
}

/** Takes the lock and checks that there is something to train into. Throws TrainingError when another training runs. */
export async function begin(input: BeginInput, context: TrainingContext): Promise<Begun> {
  const recipes = configured(input.recipes, context);
  const days = daysUntil(input.startedAt, context.logLookbackDays);
  await checkDatasets(context);
  const { accepted } = await context.accepted(comparableDays(days));
  const { origin } = await takeLock(input, recipes, context);
  const { mode, startedAt, acceptMissing } = input;
  const checks = recipes.map((kind) => checkOf(kind, context));
  return { mode, recipes, checks, origin, startedAt, accepted, acceptMissing };
}

/**
 * Takes the lock, from a dead execution where one has it: the new run then belongs to that one's chain, and picks up
 * what it made. Throws TrainingError when the other execution is alive.
 */
export async function takeLock(
  { run, execution, mode, startedAt }: Pick<BeginInput, "run" | "execution" | "mode" | "startedAt">,
  recipes: RecipeKind[],
  { state, executions }: Pick<TrainingContext, "state" | "executions">,
): Promise<Lock> {
  const holder = await state.lock();
  // Done again after its answer was lost.
  if (holder?.run === run) return holder;
  if (holder && (await executions.isRunning(holder.execution))) {
    throw new TrainingError(
      `The training ${holder.run} is going on since ${holder.startedAt}: wait for it (relevance status), or stop its execution`,
    );
  }
  const lock: Lock = { run, execution, origin: holder?.origin ?? run, mode, recipes, startedAt };
  if (await state.take(lock, holder?.run)) return lock;
  throw new TrainingError("Another training began at the same moment: wait for it (relevance status)");
}

/** What ETL is to count for a recipe. */
function checkOf(kind: RecipeKind, { settings }: TrainingContext): EventCheck {
  const { event_type, event_value_threshold } = settings.recipes[kind] ?? {};
  return {
    name: kind,
    ...(event_type !== undefined && { event_type }),
    ...(event_value_threshold !== undefined && { event_value_threshold: Number(event_value_threshold) }),
  };
}

function configured(asked: BeginInput["recipes"], { settings }: TrainingContext): RecipeKind[] {
  const known = RECIPE_KINDS.filter((kind) => settings.recipes[kind] !== undefined);
  const unknown = asked?.find((kind) => !known.includes(kind));
  if (unknown === undefined) return known.filter((kind) => asked?.includes(kind) ?? true);
  throw new TrainingError(
    `${unknown} is not configured as deployed; there are ${known.join(", ")}. Add it to solution.yaml and deploy`,
  );
}

async function checkDatasets({ personalize, names }: TrainingContext): Promise<void> {
  const group = await ifThere(
    personalize.send(new DescribeDatasetGroupCommand({ datasetGroupArn: datasetGroupArn({ names }) })),
  );
  requireActive(`dataset group ${names.datasetGroup()}`, group?.datasetGroup?.status);
  for (const dataset of DATASETS) {
    const found = await ifThere(
      personalize.send(new DescribeDatasetCommand({ datasetArn: names.datasetArn(dataset) })),
    );
    requireActive(`dataset ${names.dataset(dataset)}`, found?.dataset?.status);
  }
}

function requireActive(what: string, status: string | undefined): void {
  if (status === "ACTIVE") return;
  throw new TrainingError(`The ${what} is ${status ?? "not there"}: run deploy first`);
}
