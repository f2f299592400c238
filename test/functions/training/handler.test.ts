import * as assert from "uvu/assert";
import { createHandler, type TrainingClients } from "../../../functions/training/handler.ts";
import { lockOf, memoryState } from "../../lib/recommendation/training/memory-state.ts";
import { NDCG_ANY } from "../../lib/recommendation/training/settings.ts";
import { suite } from "../../suite.ts";

const test = suite("training function");

const ENV = {
  PROJECT_NAME: "shop",
  ACCOUNT_ID: "123456789012",
  AWS_REGION: "eu-west-1",
  BUCKET: "b",
  TRAINING_TABLE: "training",
  INGESTION_TABLE: "ingestion",
  IMPORT_ROLE_ARN: "role",
  LOG_LOOKBACK_DAYS: 30,
  INGESTION_BUFFER_SECONDS: 60,
};

const clients = (state = memoryState()) =>
  ({
    settings: NDCG_ANY,
    state,
    executions: { isRunning: async () => true, stop: async () => {} },
    accepted: async () => ({ accepted: 0, last: undefined }),
    now: Date.now,
    print: () => {},
  }) as unknown as TrainingClients;

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => "no error",
    (error: Error) => `${error.name}: ${error.message}`,
  );

const begin = (input: unknown) => ({
  task: "begin",
  run: "one",
  execution: "arn:one",
  startedAt: "2025-03-02T08:00:00.000Z",
  input,
});

test("refuses an input that is not a step, and names the wrong field", async () => {
  const handler = createHandler(ENV, clients());
  assert.match(await failureOf(handler({ task: "dance" })), /^TrainingError: The input is not a step of training/);
  assert.match(await failureOf(handler(begin({ mode: "full" }))), "input.mode");
  assert.match(await failureOf(handler(begin({ mode: "init", force: true }))), "input.force");
});

test("refuses a recipe that is not configured, before it calls Personalize", async () => {
  const settings = { ...NDCG_ANY, recipes: { similar_items: NDCG_ANY.recipes.similar_items } };
  const handler = createHandler(ENV, { ...clients(), settings } as TrainingClients);
  assert.is(
    await failureOf(handler(begin({ mode: "init", recipes: ["user_personalization"] }))),
    "TrainingError: user_personalization is not configured in this deployment, which has similar_items. Add it to solution.yaml and deploy",
  );
});

test("notes its step in the lock while it holds the lock", async () => {
  const state = memoryState();
  await state.take(lockOf("one"), undefined);
  const handler = createHandler(ENV, clients(state));
  assert.equal(await handler({ task: "ingestion", run: "one", startedAt: new Date().toISOString() }), {
    ready: true,
    seconds: 0,
  });
  assert.is((await state.lock())?.note?.step, "etl");
});

test.run();
