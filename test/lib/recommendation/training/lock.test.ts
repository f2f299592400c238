import * as assert from "uvu/assert";
import { takeLock } from "../../../../lib/recommendation/training/begin.ts";
import type { Executions } from "../../../../lib/recommendation/training/state.ts";
import { suite } from "../../../suite.ts";
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

async function messageOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "no error",
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

test("is taken when nobody has it, and begins a chain", async () => {
  const state = memoryState();
  const lock = await takeLock(ask("one"), ["similar_items"], { state, executions: running() });
  assert.equal([lock.origin, (await state.lock())?.recipes], ["one", ["similar_items"]]);
});

test("is refused while its execution is alive", async () => {
  const state = memoryState();
  await state.take(lockOf("one"), undefined);
  const message = await messageOf(takeLock(ask("two"), [], { state, executions: running("arn:one") }));
  assert.match(message, "TrainingError: The training one is going on since 2025-03-02T08:00:00.000Z");
});

test("is taken from a dead execution, and goes on with its chain", async () => {
  const state = memoryState();
  await state.take(lockOf("two", { origin: "one" }), undefined);
  const lock = await takeLock(ask("three"), [], { state, executions: running() });
  assert.is(lock.origin, "one");
});

test("is met again by the run that has it, as when its answer was lost", async () => {
  const state = memoryState();
  await state.take(lockOf("one", { origin: "zero" }), undefined);
  assert.is((await takeLock(ask("one"), [], { state, executions: running("arn:one") })).origin, "zero");
});

test("keeps the conditions of the table", () => keepsConditions(memoryState()));

test.run();
