import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import type { Embedder } from "../../../../lib/search/embeddings/embedder.ts";
import { hostedEmbedder } from "../../../../lib/search/embeddings/hosted-embedder.ts";
import { createSemaphore } from "../../../../lib/search/embeddings/semaphore.ts";
import { denseEndpoint } from "../../../../lib/search/embeddings/text-embeddings-inference.ts";
import { suite } from "../../../suite.ts";
import { brief, type FakeClient, fakeClient, knownPace, vectorOf } from "./fixture.ts";

const test = suite("embeddings: dense endpoint");

const DIMENSION = 4;
const deadline = deadlineIn(20_000);

const embedder = (client: FakeClient, prefixes = { query: "", document: "" }): Embedder => {
  const endpoint = { model: "dense_large_en_v1_5", client, endpointName: "e", dimension: DIMENSION, prefixes } as const;
  return hostedEmbedder(denseEndpoint(endpoint), {
    semaphore: createSemaphore(4),
    pace: knownPace(),
    wait: async () => {},
  });
};

const healthy = () => fakeClient(({ body }) => body.inputs.map((text) => vectorOf(text, DIMENSION)));
const answering = (answer: unknown) => fakeClient(() => answer);

test("queries and documents get the prefixes of their model", async () => {
  const client = healthy();
  const prefixes = { query: "query: ", document: "passage: " };
  await embedder(client, prefixes).embedQuery("dragons", deadline);
  await embedder(client, prefixes).embedDocuments(["dragons"], deadline);
  assert.equal(
    client.calls.map(({ body }) => body.inputs),
    [["query: dragons"], ["passage: dragons"]],
  );
});

test("every call asks for truncation", async () => {
  const client = healthy();
  await embedder(client).embedQuery("a", deadline);
  await embedder(client).embedDocuments(["a"], deadline);
  assert.equal(
    client.calls.map(({ body }) => body.truncate),
    [true, true],
  );
});

test("a call has at most 32 texts", async () => {
  const client = healthy();
  const outcomes = await embedder(client).embedDocuments(new Array(65).fill("a"), deadline);
  assert.equal(client.calls.map(({ body }) => body.inputs.length).sort(), [1, 32, 32]);
  assert.is(outcomes.length, 65);
});

test("a call has at most 2,000,000 bytes", async () => {
  const client = healthy();
  await embedder(client).embedDocuments(new Array(32).fill("é".repeat(50_000)), deadline);
  assert.ok(client.calls.every(({ bytes }) => bytes <= 2_000_000));
  assert.equal(client.calls.map(({ body }) => body.inputs.length).sort(), [13, 19]);
});

test("a text over the byte limit of a call is cut between characters and sent alone", async () => {
  const client = healthy();
  await embedder(client).embedDocuments(["a", "😀".repeat(600_000), "b"], deadline);
  const long = client.calls.find(({ bytes }) => bytes > 1_000);
  assert.is(long?.body.inputs.length, 1);
  assert.ok((long?.bytes ?? 0) <= 2_000_000 && (long?.bytes ?? 0) > 1_999_990);
  assert.match(long?.body.inputs[0] ?? "", /^(😀)+$/u);
});

test("a query over the byte limit of a call is cut, its instruction included", async () => {
  const client = healthy();
  await embedder(client).embedQuery("é".repeat(1_500_000), deadline);
  assert.ok((client.calls[0]?.bytes ?? 0) <= 2_000_000);
});

test("outcomes are in the order of the texts, whatever the order in which calls end", async () => {
  const client = fakeClient(async ({ body }, index) => {
    // The first call answers last.
    for (let turn = 0; turn < 20 - index * 5; turn += 1) await new Promise(setImmediate);
    return body.inputs.map((text) => vectorOf(text, DIMENSION));
  });
  const texts = Array.from({ length: 80 }, (_, i) => "x".repeat(i));
  const outcomes = await embedder(client).embedDocuments(texts, deadline);
  assert.equal(
    outcomes.map((outcome) => (outcome.kind === "dense" ? JSON.parse(outcome.json.toString()) : outcome)),
    texts.map((text) => vectorOf(text, DIMENSION)),
  );
});

test("a vector of unit length is stored as the model wrote it, digit for digit", async () => {
  const texts = ["[0.60000000,-0.0,8e-1,0E+00]", "[0.5,0.5,-0.50,0.5]", "[0, 1.0000000000000000001, 1e-400, 0]"];
  const outcomes = await embedder(answering(`[${texts.join(",")}]`)).embedDocuments(["a", "b", "c"], deadline);
  assert.equal(
    outcomes.map((outcome) => (outcome.kind === "dense" ? outcome.json.toString() : outcome)),
    texts,
  );
});

test("an answer that is not a list of JSON numbers is not stored", async () => {
  for (const vector of [
    "[.6,0,.8,0]",
    "[06e-1,0,0.8,0]",
    "[0.6,0,0.8,0.]",
    "[0.6,0,8e,0]",
    "[+0.6,0,0.8,0]",
    "[0.6,0,0.8,0",
  ]) {
    const [outcome] = brief(await embedder(answering(`[${vector}]`)).embedDocuments(["a"], deadline));
    assert.is(outcome, "model answered with something other than JSON", vector);
  }
});

test("vectors followed by anything else are not used", async () => {
  const [outcome] = brief(await embedder(answering("[[0.6,0,0.8,0]]]")).embedDocuments(["a"], deadline));
  assert.is(outcome, "model answered with something other than JSON");
});

test("NaN in one vector fails that text alone", async () => {
  const client = answering([
    [1, 0, 0, null],
    [0, 1, 0, 0],
  ]);
  assert.equal(brief(await embedder(client).embedDocuments(["a", "b"], deadline)), [
    "model gave a vector with a component that is not a number",
    "dense",
  ]);
  assert.is(client.calls.length, 1);
});

test("a vector with a number too large for JSON parsers is an error", async () => {
  const [outcome] = brief(await embedder(answering("[[1e999,0,0,0]]")).embedDocuments(["a"], deadline));
  assert.is(outcome, "model gave a vector with a component that is not finite");
});

test("a vector of another dimension is an error that names both dimensions", async () => {
  const [outcome] = await embedder(answering([[1, 0, 0]])).embedDocuments(["a"], deadline);
  assert.equal(brief(outcome ? [outcome] : []), ["model gave a vector of 3 dimensions, 4 are configured"]);
  assert.is(outcome?.kind === "error" && outcome.error.retryable, false);
});

for (const [component, length] of [
  [1e39, "1e+39"],
  [1e-160, "1e-160"],
  [3e-46, "3e-46"],
] as const) {
  test(`a vector of length ${length}, which no 32-bit float can hold, is not stored as a unit vector`, async () => {
    assert.equal(brief(await embedder(answering([[0, component, 0, 0]])).embedDocuments(["a"], deadline)), [
      `model gave a vector of length ${length}, which no 32-bit float can hold`,
    ]);
  });
}

test("a zero vector is an error", async () => {
  assert.equal(brief(await embedder(answering([[0, 0, 0, 0]])).embedDocuments(["a"], deadline)), [
    "model gave a zero vector",
  ]);
});

test("too few vectors fail every text of the call, since none can be matched to its vector", async () => {
  const client = answering([[1, 0, 0, 0]]);
  const message = "model gave 1 vectors for 2 texts";
  assert.equal(brief(await embedder(client).embedDocuments(["a", "b"], deadline)), [message, message]);
});

test("an answer that is not JSON fails the call once", async () => {
  const client = answering("[[NaN,0,0,0]]");
  const message = "model answered with something other than JSON";
  assert.equal(brief(await embedder(client).embedDocuments(["a"], deadline)), [message]);
  assert.is(client.calls.length, 1);
});

test("an answer that is not a list fails the call", async () => {
  const message = "model answered with something other than a list of vectors";
  assert.equal(brief(await embedder(answering({ error: "x" })).embedDocuments(["a"], deadline)), [message]);
  assert.equal(brief(await embedder(answering([{ a: 1 }])).embedDocuments(["a"], deadline)), [
    "model gave something other than a vector",
  ]);
});

test("a vector that is not of unit length is scaled", async () => {
  const embedding = await embedder(answering([[3, 0, 4, 0]])).embedQuery("a", deadline);
  assert.equal(embedding, { kind: "dense", vector: [0.6, 0, 0.8, 0] });
});

test("no texts need no call", async () => {
  const client = healthy();
  assert.equal(await embedder(client).embedDocuments([], deadline), []);
  assert.is(client.calls.length, 0);
});

test.run();
