import type { RecipeKind } from "../../config/recipes.ts";
import type { Measured } from "./gate.ts";
import type { RecipeProgress } from "./progress.ts";
import type { RunMode } from "./task.ts";

/** The lock that lets one execution at a time train or accept versions. */
export interface Lock {
  /** Name of the execution that holds the lock. */
  run: string;
  /** ARN of the execution. */
  execution: string;
  /**
   * The first run of the chain. In a chain every run but the last failed, and each resumes the work of the earlier
   * ones.
   */
  origin: string;
  mode: RunMode;
  recipes: RecipeKind[];
  /** ISO 8601. */
  startedAt: string;
  /**
   * In mode accept: the lock of the failed training that it interrupts. It is restored later, so that its chain
   * continues.
   */
  interrupted?: Lock;
}

/** What a run is doing, as shown by `status` and `train --wait`. */
export interface Note {
  step: "ingestion" | "etl" | "arrivals" | "imports" | "recipes" | "finish" | "teardown";
  /** A sentence for people. */
  detail: string;
  recipes: readonly RecipeProgress[];
}

/** The error code of an execution that `uninstall` stopped. It triggers no notification. */
export const STOPPED_BY_UNINSTALL = "StoppedByUninstall";

/** A trained version's ARN, its measurement, and why it serves or was held back. */
export interface JudgedVersion extends Measured {
  version: string;
  reason: string;
}

/** The training table's record of one recipe. */
export interface RecipeState {
  /** The version that its campaign serves. */
  active?: JudgedVersion;
  /** Versions held back since the last switch, oldest first. */
  held: JudgedVersion[];
  /** The last training that ended. */
  last?: { origin: string; data: string; solution: string; version: string; outcome: "done" | "held"; reason: string };
  /** Incremented by every write. A write based on an older revision is rejected. */
  revision: number;
}

/** The training table: the lock, and the state of each recipe. */
export interface TrainingState {
  lock(): Promise<(Lock & { note?: Note }) | undefined>;
  /** Takes the lock from `holder`, or a free lock if undefined. Returns false if another run took it first. */
  take(lock: Lock, holder: string | undefined): Promise<boolean>;
  /** Records what a run is doing. Does nothing unless the run holds the lock. */
  note(run: string, note: Note): Promise<void>;
  /** Releases the lock. Does nothing unless the run holds it. */
  release(run: string): Promise<void>;
  recipe(kind: RecipeKind): Promise<RecipeState | undefined>;
  /** Stores a recipe's state if `state.revision` is one more than the stored revision; otherwise returns false. */
  saveRecipe(kind: RecipeKind, state: RecipeState): Promise<boolean>;
  /** Deletes the state of these recipes, by default of all recipes. */
  forget(kinds?: readonly RecipeKind[]): Promise<void>;
}

/** Reads and stops executions of the state machines. */
export interface Executions {
  isRunning(arn: string): Promise<boolean>;
  /** Stops an execution with this error and cause. Does nothing if it has ended. */
  stop(arn: string, error: string, cause: string): Promise<void>;
}
