import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import * as assert from "uvu/assert";
import { takeLock } from "../../../lib/training/begin.ts";
import { dynamoTrainingState, TRAINING_KEY } from "../../../lib/training/dynamo-state.ts";
import type { Executions } from "../../../lib/training/state.ts";
import { clientOptions, sharedCloud } from "../../fixtures/cloud.ts";
import { unique } from "../../local/cloud/functions.ts";
import { suite } from "../../suite.ts";
import { lockOf, memoryState } from "./memory-state.ts";

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

test("of two that take it from a dead execution at once, one gets it: also in DynamoDB", async () => {
  const cloud = await sharedCloud();
  const client = new DynamoDBClient(clientOptions(cloud));
  const TableName = unique("training");
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: TRAINING_KEY, AttributeType: "S" }],
      KeySchema: [{ AttributeName: TRAINING_KEY, KeyType: "HASH" }],
    }),
  );
  for (const state of [memoryState(), dynamoTrainingState(client, TableName)]) {
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

    const known = { held: ["v1"], revision: 1 };
    assert.equal(
      [await state.saveRecipe("similar_items", known), await state.saveRecipe("similar_items", known)],
      [true, false],
    );
    assert.equal(await state.recipe("similar_items"), known);
    await state.forget();
    assert.is(await state.recipe("similar_items"), undefined);
  }
});

test.run();
