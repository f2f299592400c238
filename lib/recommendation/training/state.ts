import type { RecipeKind } from "../../config/recipes.ts";
import type { TrainingMode } from "../etl/settings.ts";
import type { RecipeProgress } from "./progress.ts";

/** The right of one execution to train. */
export interface Lock {
  /** Name of the execution. */
  run: string;
  /** Its ARN. */
  execution: string;
  /** The first run of a chain in which each but the last has died: what they made is picked up. */
  origin: string;
  mode: TrainingMode;
  recipes: RecipeKind[];
  /** ISO 8601. */
  startedAt: string;
}

/** What a training does now, for `status` and `train --wait`. */
export interface Note {
  step: "ingestion" | "etl" | "arrivals" | "imports" | "recipes" | "finish" | "teardown";
  /** In words. */
  detail: string;
  recipes: readonly RecipeProgress[];
}

/** Error of an execution that `uninstall` has stopped: nobody has to be told of it. */
export const STOPPED_BY_UNINSTALL = "StoppedByUninstall";

/** What is known of one recipe. */
export interface RecipeState {
  /** ARN of the version that its campaign serves, and its NDCG@25. */
  active?: { version: string; ndcg?: number };
  /** Versions that were held back since the last switch, oldest first. */
  held: string[];
  /** The last training of it that came to an end. */
  last?: { origin: string; data: string; solution: string; version: string; outcome: "done" | "held"; reason: string };
  /** Counts writes, so that none is lost. */
  revision: number;
}

/** Where training keeps its lock and what it decided. */
export interface TrainingState {
  lock(): Promise<(Lock & { note?: Note }) | undefined>;
  /** Puts the lock in place of that of `holder`, or where none is. False when somebody else came before. */
  take(lock: Lock, holder: string | undefined): Promise<boolean>;
  /** Notes what a run does, as long as it has the lock. */
  note(run: string, note: Note): Promise<void>;
  /** Gives the lock back; one that somebody else has is left alone. */
  release(run: string): Promise<void>;
  recipe(kind: RecipeKind): Promise<RecipeState | undefined>;
  /** Replaces what is known of a recipe when `state.revision` is one above what is stored. False: it is not. */
  saveRecipe(kind: RecipeKind, state: RecipeState): Promise<boolean>;
  /** Forgets these recipes; all of them for `uninstall`. */
  forget(kinds?: readonly RecipeKind[]): Promise<void>;
}

/** Executions of the state machines. */
export interface Executions {
  isRunning(arn: string): Promise<boolean>;
  /** Stops one with this error and cause; one that has ended is no error. */
  stop(arn: string, error: string, cause: string): Promise<void>;
}
