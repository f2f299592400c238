import type { RecipeKind } from "../../../lib/config/recipes.ts";
import type { Lock, Note, RecipeState, TrainingState } from "../../../lib/training/state.ts";

/** The training table in memory, with the conditions of the real one. */
export function memoryState() {
  let lock: (Lock & { note?: Note }) | undefined;
  const recipes = new Map<RecipeKind, RecipeState>();
  const state: TrainingState = {
    lock: async () => lock,
    async take(next, holder) {
      if (lock && lock.run !== holder && lock.run !== next.run) return false;
      lock = next;
      return true;
    },
    async note(run, note) {
      if (lock?.run === run) lock = { ...lock, note };
    },
    async release(run) {
      if (lock?.run === run) lock = undefined;
    },
    recipe: async (kind) => recipes.get(kind),
    async saveRecipe(kind, next) {
      if ((recipes.get(kind)?.revision ?? 0) !== next.revision - 1) return false;
      recipes.set(kind, next);
      return true;
    },
    async forget() {
      recipes.clear();
    },
  };
  return state;
}

/** A lock of a run. */
export const lockOf = (run: string, change: Partial<Lock> = {}): Lock => ({
  run,
  execution: `arn:${run}`,
  origin: run,
  mode: "init",
  recipes: ["user_personalization"],
  startedAt: "2025-03-02T08:00:00.000Z",
  ...change,
});
