import type { RecipeKind } from "../../config/recipes.ts";
import type { Measured } from "./gate.ts";
import type { RecipeProgress } from "./progress.ts";
import type { RunMode } from "./task.ts";

/** The right of one execution to train, or to accept versions. */
export interface Lock {
  /** Name of the execution. */
  run: string;
  /** Its ARN. */
  execution: string;
  /** The first run of a chain in which all but the last failed: each resumes what those before it made. */
  origin: string;
  mode: RunMode;
  recipes: RecipeKind[];
  /** ISO 8601. */
  startedAt: string;
  /** Of an acceptance: the lock of the failed training that it interrupts. It is put back, so that its chain continues. */
  interrupted?: Lock;
}

/** What a run is doing, for `status` and `train --wait`. */
export interface Note {
  step: "ingestion" | "etl" | "arrivals" | "imports" | "recipes" | "finish" | "teardown";
  /** A sentence for people. */
  detail: string;
  recipes: readonly RecipeProgress[];
}

/** Error of an execution that `uninstall` stopped; nobody is notified about it. */
export const STOPPED_BY_UNINSTALL = "StoppedByUninstall";

/** ARN of a trained version, how it was measured, and why it serves or was held back. */
export interface JudgedVersion extends Measured {
  version: string;
  reason: string;
}

/** What the training table knows about one recipe. */
export interface RecipeState {
  /** The version that its campaign serves. */
  active?: JudgedVersion;
  /** Versions held back since the last switch, oldest first. */
  held: JudgedVersion[];
  /** Its last training that ended. */
  last?: { origin: string; data: string; solution: string; version: string; outcome: "done" | "held"; reason: string };
  /** Counts writes: a write based on an older revision is refused. */
  revision: number;
}

/** The training table: the lock, and what was decided about each recipe. */
export interface TrainingState {
  lock(): Promise<(Lock & { note?: Note }) | undefined>;
  /** Takes the lock if `holder` has it, or nobody when undefined. Returns false when another run was faster. */
  take(lock: Lock, holder: string | undefined): Promise<boolean>;
  /** Records what a run is doing; ignored unless it has the lock. */
  note(run: string, note: Note): Promise<void>;
  /** Releases the lock; ignored unless the run has it. */
  release(run: string): Promise<void>;
  recipe(kind: RecipeKind): Promise<RecipeState | undefined>;
  /** Stores the state of a recipe if `state.revision` is one above the stored one, else returns false. */
  saveRecipe(kind: RecipeKind, state: RecipeState): Promise<boolean>;
  /** Deletes what is known about these recipes; by default about all. */
  forget(kinds?: readonly RecipeKind[]): Promise<void>;
}

/** Executions of the state machines. */
export interface Executions {
  isRunning(arn: string): Promise<boolean>;
  /** Stops an execution with this error and cause. Does nothing if it has ended. */
  stop(arn: string, error: string, cause: string): Promise<void>;
}
