import { describeDataset } from "../../personalize/resources/dataset.ts";
import { describeDatasetGroup } from "../../personalize/resources/dataset-group.ts";
import { DATASETS, RECIPE_KINDS, type RecipeKind } from "../../platform/contract/recommendation.ts";
import { comparableDays } from "../clients/accepted-events.ts";
import { daysUntil } from "../etl/plan.ts";
import type { EventCheck } from "../etl/tasks.ts";
import { type TrainingContext, TrainingError } from "./context.ts";
import type { Lock, TrainingState } from "./state.ts";
import type { RecipeProgress, RunMode } from "./task.ts";

/** The input that a run was started with. */
export interface BeginInput {
  run: string;
  /** ARN of the execution. */
  execution: string;
  /** ISO 8601 time. */
  startedAt: string;
  mode: RunMode;
  /** Default: all configured recipes. In mode accept: those with a version that was held back. */
  recipes?: readonly RecipeKind[] | undefined;
  acceptMissing: boolean;
}

/** The state of the execution that later steps need. */
export interface Begun {
  mode: RunMode;
  /** Whether the run only accepts versions that were held back, without training. */
  accepting: boolean;
  recipes: RecipeKind[];
  /** The events that ETL counts. */
  checks: EventCheck[];
  origin: string;
  startedAt: string;
  /** The number of events accepted before the training began, on the days whose counters are compared. */
  accepted: number;
  acceptMissing: boolean;
  /** In mode accept: the versions to serve. */
  progress: RecipeProgress[];
}

/**
 * Takes the lock, and checks that the datasets are active or, in mode accept, that a version was held back. Throws
 * TrainingError if one of these fails.
 */
export async function begin(input: BeginInput, context: TrainingContext): Promise<Begun> {
  const recipes = configured(input.recipes, context);
  if (input.mode === "accept") return beginAcceptance(input, recipes, context);
  const days = daysUntil(input.startedAt, context.logLookbackDays);
  await checkDatasets(context);
  const { accepted } = await context.accepted(comparableDays(days));
  const { origin } = await takeLock(input, recipes, context);
  const { mode, startedAt, acceptMissing } = input;
  const checks = recipes.map((kind) => checkOf(kind, context));
  return { mode, accepting: false, recipes, checks, origin, startedAt, accepted, acceptMissing, progress: [] };
}

async function beginAcceptance(
  { run, execution, mode, startedAt, recipes: asked }: BeginInput,
  recipes: RecipeKind[],
  context: TrainingContext,
): Promise<Begun> {
  const { origin } = await takeLock({ run, execution, mode, startedAt }, recipes, context);
  const progress: RecipeProgress[] = [];
  for (const recipe of recipes) {
    const newest = (await context.state.recipe(recipe))?.held.at(-1);
    if (newest) progress.push({ recipe, stage: "trained", status: "", version: newest.version });
  }
  const lacking = recipes.filter((recipe) => !progress.some((one) => one.recipe === recipe));
  if (progress.length === 0 || (asked && lacking.length > 0)) {
    await giveBack(run, context.state);
    throw new TrainingError(
      `No version of ${lacking.join(", ")} is held back; \`relevance status\` lists those that are`,
    );
  }
  const unused = { checks: [], accepted: 0, acceptMissing: false };
  return {
    mode,
    accepting: true,
    recipes: progress.map(({ recipe }) => recipe),
    origin,
    startedAt,
    progress,
    ...unused,
  };
}

/**
 * Releases the lock of a run that ended, or restores the lock of the failed training that an acceptance interrupted.
 */
export async function giveBack(run: string, state: TrainingState): Promise<void> {
  const lock = await state.lock();
  if (lock?.run === run && lock.interrupted) await state.take(lock.interrupted, run);
  else await state.release(run);
}

/**
 * Takes the lock. If it is held by an execution that has ended, the run joins that execution's chain and resumes its
 * work. Throws TrainingError if the holder is still running.
 */
export async function takeLock(
  { run, execution, mode, startedAt }: Pick<BeginInput, "run" | "execution" | "mode" | "startedAt">,
  recipes: RecipeKind[],
  { state, executions }: Pick<TrainingContext, "state" | "executions">,
): Promise<Lock> {
  const holder = await state.lock();
  // An earlier call has already taken the lock, but its answer was lost.
  if (holder?.run === run) return holder;
  if (holder && (await executions.isRunning(holder.execution))) {
    throw new TrainingError(
      `The training ${holder.run} has been running since ${holder.startedAt}: wait for it (relevance status), or stop its execution`,
    );
  }
  const interrupted = holder?.mode === "accept" ? holder.interrupted : holder;
  const lock: Lock = {
    run,
    execution,
    origin: holder?.origin ?? run,
    mode,
    recipes,
    startedAt,
    ...(mode === "accept" && interrupted && { interrupted }),
  };
  if (await state.take(lock, holder?.run)) return lock;
  throw new TrainingError("Another training started at the same time: wait for it (relevance status)");
}

/** Returns which events ETL counts for a recipe. */
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
    `${unknown} is not configured in this deployment, which has ${known.join(", ")}. Add it to solution.yaml and deploy`,
  );
}

async function checkDatasets({ personalize, names }: TrainingContext): Promise<void> {
  const group = await describeDatasetGroup(personalize, names);
  requireActive(`dataset group ${names.datasetGroup()}`, group?.status);
  for (const dataset of DATASETS) {
    const found = await describeDataset(personalize, names.datasetArn(dataset));
    requireActive(`dataset ${names.dataset(dataset)}`, found?.status);
  }
}

function requireActive(what: string, status: string | undefined): void {
  if (status === "ACTIVE") return;
  throw new TrainingError(
    `The ${what} ${status === undefined ? "does not exist" : `is ${status}`}: run \`relevance deploy\` first`,
  );
}
