import * as assert from "uvu/assert";
import { RECIPE_KINDS, type RecipeKind } from "../../../../lib/platform/contract/recommendation.ts";
import type {
  JudgedVersion,
  Lock,
  Note,
  RecipeState,
  TrainingState,
} from "../../../../lib/recommendation/training/state.ts";

/** The training table in memory, with the conditions of the real one. */
export function memoryState() {
  let lock: (Lock & { note?: Note }) | undefined;
  let data: Awaited<ReturnType<TrainingState["data"]>>;
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
    data: async () => data,
    async saveData(report) {
      data = report;
    },
    recipe: async (kind) => recipes.get(kind),
    async saveRecipe(kind, next) {
      if ((recipes.get(kind)?.revision ?? 0) !== next.revision - 1) return false;
      recipes.set(kind, next);
      return true;
    },
    async forget(kinds = RECIPE_KINDS) {
      for (const kind of kinds) recipes.delete(kind);
    },
  };
  return state;
}

/** A version that was measured over all events of 90 days. */
export const judged = (version: string, change: Partial<JudgedVersion> = {}): JudgedVersion => ({
  version,
  reason: "no earlier version to compare with",
  measure: { log_lookback_days: "90" },
  ...change,
});

/** The lock of a run. */
export const lockOf = (run: string, change: Partial<Lock> = {}): Lock => ({
  run,
  execution: `arn:${run}`,
  origin: run,
  mode: "init",
  recipes: ["user_personalization"],
  startedAt: "2025-03-02T08:00:00.000Z",
  ...change,
});

/** Checks what every TrainingState promises: only one of two concurrent takers gets a lock, and no write is lost. */
export async function keepsConditions(state: TrainingState): Promise<void> {
  assert.is(await state.take(lockOf("dead"), undefined), true);
  assert.is(await state.take(lockOf("early"), undefined), false);
  assert.equal(
    [
      await state.take(lockOf("a"), "dead"),
      await state.take(lockOf("b"), "dead"),
      await state.take(lockOf("a"), "dead"),
    ],
    [true, false, true],
  );
  await state.note("b", { step: "etl", detail: "not mine", recipes: [] });
  assert.is((await state.lock())?.note, undefined);
  await state.note("a", { step: "etl", detail: "mine", recipes: [] });
  assert.is((await state.lock())?.note?.detail, "mine");
  await state.release("b");
  assert.is((await state.lock())?.run, "a");
  await state.release("a");
  assert.is(await state.lock(), undefined);

  assert.is(await state.data(), undefined);
  await state.saveData({ run: "a", large: "near" });
  await state.saveData({ run: "b" });
  assert.equal(await state.data(), { run: "b" });

  const known = { held: [judged("v1")], revision: 1 };
  assert.equal(
    [await state.saveRecipe("similar_items", known), await state.saveRecipe("similar_items", known)],
    [true, false],
  );
  assert.equal(await state.recipe("similar_items"), known);
  await state.forget();
  assert.is(await state.recipe("similar_items"), undefined);
}
