import * as v from "valibot";
import { DATASETS, RECIPE_KINDS } from "../../platform/contract/recommendation.ts";
import { TRAINING_MODES } from "../../settings/recipes.ts";
import { EventCheck } from "../etl/tasks.ts";

/** The progress of one recipe's training. It is part of the execution's state, so keep it small. */
export const RecipeProgress = v.strictObject({
  recipe: v.picklist(RECIPE_KINDS),
  /** `trained`: the version is ready and waits for those of the other recipes. */
  stage: v.picklist(["solution", "version", "trained", "campaign", "done", "held", "failed"]),
  /** The last status polled from Personalize, or why the recipe ended. */
  status: v.string(),
  /** ARN of the version that this run trains or accepts. */
  version: v.optional(v.string()),
});

export type RecipeProgress = v.InferOutput<typeof RecipeProgress>;

/** Returns whether a recipe has ended, successfully or not. */
export function hasEnded({ stage }: Pick<RecipeProgress, "stage">): boolean {
  return stage === "done" || stage === "held" || stage === "failed";
}

/** Summarizes all recipes on one line, for `status` and `train --wait`. */
export function summaryOf(progress: readonly RecipeProgress[]): string {
  return progress
    .map((one) => `${one.recipe}: ${hasEnded(one) ? one.stage : `${one.stage} ${one.status}`.trimEnd()}`)
    .join(", ");
}

const Run = v.pipe(v.string(), v.regex(/^[\w-]{1,80}$/, "must be 1 to 80 letters, digits, hyphens and underscores"));
const Time = v.pipe(v.string(), v.isoTimestamp());
const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Recipes = v.array(v.picklist(RECIPE_KINDS));

/** Mode of a run: training in one of the modes, or (`accept`) switching to versions that were held back. */
const RunModes = v.picklist([...TRAINING_MODES, "accept"]);

export type RunMode = v.InferOutput<typeof RunModes>;

/** The input of the training state machine, as written by the command line and the schedule. */
export const TrainingInput = v.strictObject({
  mode: RunModes,
  /** Default: all configured recipes. In mode accept: those with a version that was held back. Empty: the built-in engine alone. */
  recipes: v.optional(Recipes),
  /** Whether to train even if accepted events are missing from the bucket. */
  accept_missing: v.optional(v.boolean(), false),
});

/** The input before defaults are applied. */
export type TrainingInput = v.InferInput<typeof TrainingInput>;

const step = <const Task extends string, Entries extends v.ObjectEntries>(task: Task, entries: Entries) =>
  v.strictObject({ task: v.literal(task), run: Run, ...entries });

/** The input of the training function: one step of a run. */
export const TrainingTask = v.variant("task", [
  step("begin", { execution: v.string(), startedAt: Time, input: TrainingInput }),
  step("ingestion", { startedAt: Time }),
  step("arrivals", { startedAt: Time, accepted: Count, acceptMissing: v.boolean(), attempts: Count }),
  step("check", { checks: v.array(EventCheck) }),
  step("import", { origin: Run, data: v.string() }),
  step("imports", { jobs: v.array(v.strictObject({ dataset: v.picklist(DATASETS), arn: v.string() })) }),
  step("train", {
    origin: Run,
    data: v.string(),
    recipes: Recipes,
    users: v.record(v.string(), Count),
    progress: v.array(RecipeProgress),
  }),
  step("accept", { progress: v.array(RecipeProgress) }),
  step("finish", { progress: v.array(RecipeProgress) }),
  step("teardown", { execution: v.string(), startedAt: Time }),
]);

export type TrainingTask = v.InferOutput<typeof TrainingTask>;
