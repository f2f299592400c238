import * as assert from "uvu/assert";
import { giveBack, takeLock } from "../../../../lib/recommendation/training/begin.ts";
import type { Executions } from "../../../../lib/recommendation/training/context.ts";
import { suite } from "../../../suite.ts";
import { failureOf } from "../../personalize/resources/managed.ts";
import { keepsConditions, lockOf, memoryState } from "./memory-state.ts";

const test = suite("lock of the training");

const running = (...alive: string[]): Executions => ({
  isRunning: async (arn) => alive.includes(arn),
  stop: async () => {},
});
const ask = (run: string) => ({
  run,
  execution: `arn:${run}`,
  mode: "init" as const,
  startedAt: "2025-03-02T09:00:00.000Z",
});

test("is taken when nobody holds it, and starts a chain", async () => {
  const state = memoryState();
  const lock = await takeLock(ask("one"), ["similar_items"], { state, executions: running() });
  assert.equal([lock.origin, (await state.lock())?.recipes], ["one", ["similar_items"]]);
});

test("is refused while its execution is running", async () => {
  const state = memoryState();
  await state.take(lockOf("one"), undefined);
  const message = await failureOf(takeLock(ask("two"), [], { state, executions: running("arn:one") }));
  assert.match(message, "TrainingError: The training one has been running since 2025-03-02T08:00:00.000Z");
});

test("is taken from a dead execution, and continues its chain", async () => {
  const state = memoryState();
  await state.take(lockOf("two", { origin: "one" }), undefined);
  const lock = await takeLock(ask("three"), [], { state, executions: running() });
  assert.is(lock.origin, "one");
});

test("is found again by the run that holds it, when the answer was lost", async () => {
  const state = memoryState();
  await state.take(lockOf("one", { origin: "zero" }), undefined);
  assert.is((await takeLock(ask("one"), [], { state, executions: running("arn:one") })).origin, "zero");
});

test("returns to the failed training that an acceptance interrupted, so that its chain continues", async () => {
  const state = memoryState();
  const failed = lockOf("two", { origin: "one" });
  await state.take(failed, undefined);
  const none = { state, executions: running() };
  await takeLock({ ...ask("accept-1"), mode: "accept" }, ["similar_items"], none);
  // The first acceptance died as well.
  const lock = await takeLock({ ...ask("accept-2"), mode: "accept" }, ["similar_items"], none);
  assert.equal([lock.origin, lock.interrupted?.run], ["one", "two"]);
  await giveBack("accept-2", state);
  assert.equal(await state.lock(), failed);
});

test("is released by an acceptance that interrupted nothing", async () => {
  const state = memoryState();
  await takeLock({ ...ask("accept-1"), mode: "accept" }, [], { state, executions: running() });
  await giveBack("accept-1", state);
  assert.is(await state.lock(), undefined);
});

test("memoryState meets the conditions of the table", () => keepsConditions(memoryState()));

test.run();
