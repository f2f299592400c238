import * as assert from "uvu/assert";
import { type Deadline, deadlineIn, earlier } from "../../../../lib/platform/resilience/deadline.ts";
import { EmbeddingError } from "../../../../lib/search/embeddings/embedder.ts";
import { hostedEmbedder } from "../../../../lib/search/embeddings/hosted-embedder.ts";
import { ModelCallTimeout } from "../../../../lib/search/embeddings/model-client.ts";
import { createSemaphore } from "../../../../lib/search/embeddings/semaphore.ts";
import { denseEndpoint } from "../../../../lib/search/embeddings/text-embeddings-inference.ts";
import { suite } from "../../../suite.ts";
import { awsError, brief, type FakeCall, type FakeClient, fakeClient, knownPace, modelError } from "./fixture.ts";

const test = suite("embeddings: retries and time");

const VECTOR = [1, 0];
const served = ({ body }: FakeCall) => body.inputs.map(() => VECTOR);

const embedder = (client: FakeClient, slots = 4) =>
  hostedEmbedder(
    denseEndpoint({
      model: "dense_large_en_v1_5",
      client,
      endpointName: "secret-endpoint",
      dimension: 2,
      prefixes: { query: "", document: "" },
    }),
    {
      semaphore: createSemaphore(slots),
      pace: knownPace(),
      queryTimeoutMs: 800,
      wait: async () => {},
    },
  );

/** A model whose first calls fail as given, and then serves. */
const failing = (...errors: Error[]) =>
  fakeClient((call, index) => {
    const error = errors[index];
    if (error) throw error;
    return served(call);
  });

/** A deadline on a clock that the test advances. */
function clock(ms: number): Deadline & { pass(ms: number): void } {
  let now = 0;
  return {
    ...deadlineIn(ms, () => now),
    pass: (elapsed) => {
      now += elapsed;
    },
  };
}

const plenty = () => deadlineIn(20_000);

const TRANSIENT: Record<string, Error> = {
  "429 of the model": modelError(429),
  "503 of the model": modelError(503),
  ThrottlingException: awsError("ThrottlingException", 400),
  ModelNotReadyException: awsError("ModelNotReadyException", 429),
  ServiceUnavailable: awsError("ServiceUnavailable", 503),
  ServiceUnavailableException: awsError("ServiceUnavailableException", 503),
  ModelTimeoutException: awsError("ModelTimeoutException", 408),
  "another 429": awsError("Unknown", 429),
  "another 503": awsError("Unknown", 503),
  "a refused connection": Object.assign(new Error("connect ECONNREFUSED 10.0.0.7:443"), { code: "ECONNREFUSED" }),
  "a closed connection": Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }),
};

for (const [name, error] of Object.entries(TRANSIENT)) {
  test(`${name}: retried, for documents and queries alike`, async () => {
    const documents = failing(error, error);
    assert.equal(brief(await embedder(documents).embedDocuments(["a"], plenty())), ["dense"]);
    assert.is(documents.calls.length, 3);
    const query = failing(error, error);
    assert.equal(await embedder(query).embedQuery("a", plenty()), { kind: "dense", vector: VECTOR });
    assert.is(query.calls.length, 3);
  });

  test(`${name}: a retryable error after three attempts`, async () => {
    const client = failing(error, error, error, error);
    const [outcome] = await embedder(client).embedDocuments(["a"], plenty());
    assert.is(client.calls.length, 3);
    assert.is(outcome?.kind === "error" && outcome.error.retryable, true);
  });
}

const FINAL: Record<string, readonly [error: Error, retryable: boolean]> = {
  "424 of the model": [modelError(424), false],
  "500 of the model": [modelError(500), false],
  "422 of the model": [modelError(422), false],
  "no answer of the model in SageMaker's 60 s": [modelError(0), true],
  "ValidationError of SageMaker": [awsError("ValidationError", 400), false],
  AccessDeniedException: [awsError("AccessDeniedException", 403), false],
  OptInRequired: [awsError("OptInRequired", 403), false],
  ResourceNotFoundException: [awsError("ResourceNotFoundException", 404), false],
  InternalServerException: [awsError("InternalServerException", 500), true],
  "a bug": [new TypeError("secret-endpoint is not a function"), false],
};

for (const [name, [error, retryable]] of Object.entries(FINAL)) {
  test(`${name}: not retried`, async () => {
    const client = failing(error);
    const [outcome] = await embedder(client).embedDocuments(["a"], plenty());
    assert.is(client.calls.length, 1);
    assert.is(outcome?.kind === "error" && outcome.error.retryable, retryable);
  });
}

test("no message names an endpoint, ARN or host; the cause does", async () => {
  for (const error of [...Object.values(TRANSIENT), ...Object.values(FINAL).map(([one]) => one)]) {
    const [outcome] = await embedder(fakeClient(() => Promise.reject(error))).embedDocuments(["a"], plenty());
    if (outcome?.kind !== "error") throw new Error("must fail");
    assert.not.match(outcome.error.message, /secret-endpoint|arn:|10\.0\.0\.7|11112222/);
    assert.is(outcome.error.cause, error);
  }
});

test("a timeout of documents is not retried, since the model is busy, not gone", async () => {
  const client = failing(new ModelCallTimeout(900));
  const [outcome] = await embedder(client).embedDocuments(["a"], plenty());
  assert.is(client.calls.length, 1);
  assert.is(outcome?.kind === "error" && outcome.error.message, "model endpoint timed out after 900 ms");
  assert.is(outcome?.kind === "error" && outcome.error.retryable, true);
});

test("a timeout of a query is retried once", async () => {
  const client = failing(new ModelCallTimeout(800));
  assert.equal(await embedder(client).embedQuery("a", plenty()), { kind: "dense", vector: VECTOR });
  const dead = failing(...new Array(9).fill(new ModelCallTimeout(800)));
  const error = await embedder(dead)
    .embedQuery("a", plenty())
    .catch((one: unknown) => one);
  assert.is(dead.calls.length, 2);
  assert.instance(error, EmbeddingError);
  assert.is((error as EmbeddingError).message, "model endpoint timed out after 800 ms");
});

test("an attempt has the query timeout for a query, and the remaining time less a margin for documents", async () => {
  const client = fakeClient(served);
  await embedder(client).embedQuery("a", clock(20_000));
  await embedder(client).embedDocuments(["a"], clock(20_000));
  await embedder(client).embedQuery("a", clock(500));
  await embedder(client).embedDocuments(["a"], clock(500_000));
  assert.equal(
    client.calls.map(({ timeoutMs }) => timeoutMs),
    [800, 19_950, 450, 60_000],
  );
});

test("without time left no call is made", async () => {
  const client = fakeClient(served);
  const message = "no time was left to start a model call";
  assert.equal(brief(await embedder(client).embedDocuments(["a", "b"], clock(0))), [message, message]);
  assert.equal(brief(await embedder(client).embedDocuments(["a"], clock(30))), [message]);
  const error = await embedder(client)
    .embedQuery("a", clock(0))
    .catch((one: unknown) => one);
  assert.is((error as EmbeddingError).message, message);
  assert.is((error as EmbeddingError).retryable, true);
  assert.is(client.calls.length, 0);
});

test("when no time is left for a second attempt, the first one's failure is reported", async () => {
  // The random delay decides whether there is a second attempt: a hundred draws include both cases.
  for (let draw = 0; draw < 100; draw += 1) {
    const deadline = clock(500);
    const client = fakeClient(() => {
      deadline.pass(455);
      throw new ModelCallTimeout(450);
    });
    const error = await embedder(client)
      .embedQuery("a", deadline)
      .catch((one: unknown) => one);
    assert.is((error as EmbeddingError).message, "model endpoint timed out after 450 ms");
    assert.is(client.calls.length, 1);
  }
});

test("after startBefore no call starts, and the results of running calls are kept", async () => {
  const deadline = clock(10_000);
  const client = fakeClient((call, index) => {
    if (index === 1) deadline.pass(6_000);
    return served(call);
  });
  const outcomes = await embedder(client, 1).embedDocuments(new Array(32 * 4).fill("a"), deadline, {
    startBefore: earlier(deadline, 5_000),
  });
  assert.is(client.calls.length, 2);
  assert.equal(brief(outcomes), [
    ...new Array(64).fill("dense"),
    ...new Array(64).fill("no time was left to start a model call"),
  ]);
  assert.ok(outcomes.every((outcome) => outcome.kind !== "error" || outcome.error.retryable));
});

test("a retry does not start after startBefore either", async () => {
  const deadline = clock(10_000);
  const client = fakeClient(() => {
    deadline.pass(6_000);
    throw modelError(429);
  });
  const outcomes = await embedder(client).embedDocuments(["a"], deadline, { startBefore: earlier(deadline, 5_000) });
  assert.is(client.calls.length, 1);
  assert.equal(brief(outcomes), ["model is overloaded (status 429)"]);
});

test("documents use the whole semaphore, and never run more calls at once", async () => {
  const client = fakeClient(async (call) => {
    await new Promise(setImmediate);
    return served(call);
  });
  await embedder(client, 3).embedDocuments(new Array(32 * 10).fill("a"), plenty());
  assert.is(client.calls.length, 10);
  assert.is(client.peak, 3);
});

test("one text that the model refuses does not fail the others of its call", async () => {
  const client = fakeClient((call) => {
    if (call.body.inputs.includes("bad")) throw modelError(422);
    return served(call);
  });
  const texts = Array.from({ length: 70 }, (_, i) => (i === 40 ? "bad" : `${i}`));
  const outcomes = brief(await embedder(client).embedDocuments(texts, plenty()));
  assert.equal(
    outcomes,
    texts.map((text) => (text === "bad" ? "model refused the input (status 422)" : "dense")),
  );
});

test("each text is in exactly one successful call, even when calls are split and retried", async () => {
  const done: string[] = [];
  const client = fakeClient((call, index) => {
    if (index % 3 === 2) throw modelError(429);
    if (call.body.inputs.includes("bad")) throw modelError(413);
    done.push(...call.body.inputs);
    return served(call);
  });
  const texts = Array.from({ length: 200 }, (_, i) => (i === 77 ? "bad" : `${i}`));
  await embedder(client).embedDocuments(texts, plenty());
  assert.equal(done.sort(), texts.filter((text) => text !== "bad").sort());
});

test("a model that refuses everything is not called for every text", async () => {
  const client = fakeClient(() => Promise.reject(modelError(413)));
  const outcomes = await embedder(client).embedDocuments(new Array(640).fill("a"), plenty());
  assert.ok(outcomes.every(({ kind }) => kind === "error"));
  assert.ok(client.calls.length < 100, `${client.calls.length} calls`);
});

test("a missing endpoint is called once for each batch, and batches are not split", async () => {
  const client = fakeClient(() => Promise.reject(awsError("ValidationError", 400)));
  await embedder(client).embedDocuments(new Array(64).fill("a"), plenty());
  assert.is(client.calls.length, 2);
});

test.run();
