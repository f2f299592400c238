import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { createBreaker, FAILURES, ModelPausedError, OPEN_MS } from "../../../../lib/search/embeddings/breaker.ts";
import { NoTimeLeftError } from "../../../../lib/search/embeddings/embedder.ts";
import { judge } from "../../../../lib/search/embeddings/failure.ts";
import { hostedEmbedder } from "../../../../lib/search/embeddings/hosted-embedder.ts";
import { ModelCallTimeout } from "../../../../lib/search/embeddings/model-client.ts";
import { createSemaphore } from "../../../../lib/search/embeddings/semaphore.ts";
import { denseEndpoint } from "../../../../lib/search/embeddings/text-embeddings-inference.ts";
import { suite } from "../../../suite.ts";
import { awsError, brief, type FakeCall, fakeClient, modelError } from "./fixture.ts";

const test = suite("embeddings: a model that is down");

/** A model that fails with what `fault` returns, with its embedder and a clock that the test moves. */
function setUp() {
  const state = { fault: (() => undefined) as () => Error | undefined, now: 0, pauses: [] as string[] };
  const client = fakeClient(async ({ body }: FakeCall) => {
    const error = state.fault();
    if (error) throw error;
    return body.inputs.map(() => [1, 0]);
  });
  const prefixes = { query: "", document: "" };
  const target = { model: "dense_large_en_v1_5", client, endpointName: "e", dimension: 2, prefixes } as const;
  const embedder = hostedEmbedder(denseEndpoint(target), {
    semaphore: createSemaphore(4),
    breaker: createBreaker({ judge, onPause: (reason) => state.pauses.push(reason), now: () => state.now }),
    wait: async () => {},
  });
  const query = (ms = 20_000) =>
    embedder.embedQuery("q", deadlineIn(ms)).then(
      () => "served",
      (error: unknown) => error as Error,
    );
  return { state, client, embedder, query };
}

const timeout = () => new ModelCallTimeout(3_000);

test("a model that times out is called four times, then not for ten seconds, and the error says so", async () => {
  const { state, client, query, embedder } = setUp();
  state.fault = timeout;
  for (let n = 0; n < 2; n += 1) await query();
  assert.is(client.calls.length, FAILURES);
  assert.equal(state.pauses, ["model endpoint timed out after 3000 ms"]);
  state.now = OPEN_MS - 1;
  const error = await query();
  assert.instance(error, ModelPausedError);
  assert.match((error as Error).message, "because the last ones failed: model endpoint timed out after 3000 ms");
  const [outcome] = await embedder.embedDocuments(["a"], deadlineIn(20_000));
  assert.ok(outcome?.kind === "error" && outcome.error.retryable && outcome.error.retryAfterSeconds === 1);
  assert.is(client.calls.length, FAILURES);
});

test("after the pause a single call tries the model, and the others wait for its result", async () => {
  const { state, client, query } = setUp();
  state.fault = timeout;
  for (let n = 0; n < 2; n += 1) await query();
  state.now = OPEN_MS;
  const failed = await Promise.all([query(), query(), query()]);
  assert.is(client.calls.length, FAILURES + 1);
  assert.ok(failed.every((outcome) => outcome instanceof Error));
  assert.is(state.pauses.length, 2, "the trial failed");

  state.now += OPEN_MS - 1;
  await query();
  assert.is(client.calls.length, FAILURES + 1);
  state.now += 1;
  state.fault = () => undefined;
  assert.is(await query(), "served");
  assert.equal(await Promise.all([query(), query()]), ["served", "served"]);
});

test("documents wait for the result of the trial instead of failing", async () => {
  const { state, client, query, embedder } = setUp();
  state.fault = timeout;
  for (let n = 0; n < 2; n += 1) await query();
  state.now = OPEN_MS;
  state.fault = () => undefined;
  // Two calls at once: a call takes at most 32 texts.
  const texts = Array.from({ length: 100 }, (_, n) => `text ${n}`);
  const outcomes = await embedder.embedDocuments(texts, deadlineIn(20_000));
  assert.equal([...new Set(outcomes.map(({ kind }) => kind))], ["dense"]);

  state.fault = timeout;
  for (let n = 0; n < 2; n += 1) await query();
  state.now += OPEN_MS;
  const calls = client.calls.length;
  const failed = await embedder.embedDocuments(texts, deadlineIn(20_000));
  assert.is(client.calls.length, calls + 1);
  assert.ok(failed.every((outcome) => outcome.kind === "error"));
});

test("a success in between resets the count", async () => {
  const { state, client, query } = setUp();
  for (let n = 0; n < 3; n += 1) {
    state.fault = timeout;
    await query();
    state.fault = () => undefined;
    assert.is(await query(), "served");
  }
  assert.is(client.calls.length, 9);
});

test("a model that throttles or refuses is not paused", async () => {
  for (const error of [modelError(429), awsError("ThrottlingException", 400), modelError(422)]) {
    const { state, query } = setUp();
    state.fault = () => error;
    for (let n = 0; n < 3; n += 1) await query();
    assert.equal(state.pauses, [], error.message);
    state.fault = () => undefined;
    assert.is(await query(), "served");
  }
});

test("a model that is unavailable or unreachable is down", async () => {
  for (const error of [modelError(503), Object.assign(new Error("x"), { code: "ECONNREFUSED" })]) {
    const { state, query } = setUp();
    state.fault = () => error;
    for (let n = 0; n < 2; n += 1) await query();
    assert.is(state.pauses.length, 1, error.message);
  }
});

test("a timeout of a request with little time left does not count as a failure of the model", async () => {
  const { state, query, embedder } = setUp();
  state.fault = timeout;
  for (let n = 0; n < 4; n += 1) await query(2_000);
  for (let n = 0; n < 4; n += 1) {
    assert.equal(brief(await embedder.embedDocuments(["a"], deadlineIn(2_000))), [timeout().message]);
  }
  assert.equal(state.pauses, []);
  await query();
  await query();
  assert.is(state.pauses.length, 1);
});

test("a call whose time ends while another one tries the model says that no time was left", async () => {
  let now = 0;
  const breaker = createBreaker({ judge, now: () => now });
  const trial = Promise.withResolvers<string>();
  for (let n = 0; n < FAILURES; n += 1) {
    await breaker.run("document", deadlineIn(1_000), () => Promise.reject(timeout())).catch(() => undefined);
  }
  now = OPEN_MS;
  const tried = breaker.run("document", deadlineIn(1_000), () => trial.promise);
  const late = await breaker.run("document", deadlineIn(1), async () => "served").catch((error: unknown) => error);
  assert.instance(late, NoTimeLeftError);
  trial.resolve("answered");
  assert.is(await tried, "answered");
});

test.run();
