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

test("queries and documents get the prefixes of their model, and ask for truncation", async () => {
  const client = healthy();
  const prefixes = { query: "query: ", document: "passage: " };
  await embedder(client, prefixes).embedQuery("dragons", deadline);
  await embedder(client, prefixes).embedDocuments(["dragons"], deadline);
  assert.equal(
    client.calls.map(({ body }) => [body.inputs, body.truncate]),
    [
      [["query: dragons"], true],
      [["passage: dragons"], true],
    ],
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

const NO_JSON = "model answered with something other than JSON";
const FEW = "model gave 1 vectors for 2 texts";
const NO_FLOAT = (length: string) => `model gave a vector of length ${length}, which no 32-bit float can hold`;

for (const [what, answer, ...outcomes] of [
  ...["[.6,0,.8,0]", "[06e-1,0,0.8,0]", "[0.6,0,0.8,0.]", "[0.6,0,8e,0]", "[+0.6,0,0.8,0]", "[0.6,0,0.8,0"].map(
    (vector): [string, string, string] => [`a vector that is not of JSON numbers, ${vector}`, `[${vector}]`, NO_JSON],
  ),
  ["an answer with NaN", "[[NaN,0,0,0]]", NO_JSON],
  ["vectors followed by anything else", "[[0.6,0,0.8,0]]]", NO_JSON],
  [
    "a component that is null, for that text alone,",
    "[[1,0,0,null],[0,1,0,0]]",
    "model gave a vector with a component that is not a number",
    "dense",
  ],
  ["a number too large for JSON parsers", "[[1e999,0,0,0]]", "model gave a vector with a component that is not finite"],
  ["another dimension", "[[1,0,0]]", "model gave a vector of 3 dimensions, 4 are configured"],
  ["a vector longer than a 32-bit float can hold", "[[0,1e39,0,0]]", NO_FLOAT("1e+39")],
  ["a vector shorter than a 32-bit float can hold", "[[0,1e-160,0,0]]", NO_FLOAT("1e-160")],
  ["a vector just shorter than that", "[[0,3e-46,0,0]]", NO_FLOAT("3e-46")],
  ["a zero vector", "[[0,0,0,0]]", "model gave a zero vector"],
  ["too few vectors, for every text of the call,", "[[1,0,0,0]]", FEW, FEW],
  ["no list", '{"error":"x"}', "model answered with something other than a list of vectors"],
  ["a list of something else", '[{"a":1}]', "model gave something other than a vector"],
] as ReadonlyArray<[what: string, answer: string, ...outcomes: string[]]>) {
  test(`${what} is an error, and the model is not called again`, async () => {
    const client = answering(answer);
    const given = await embedder(client).embedDocuments(["a", "b"].slice(0, outcomes.length), deadline);
    assert.equal(brief(given), outcomes);
    assert.ok(given.every((outcome) => outcome.kind !== "error" || !outcome.error.retryable));
    assert.is(client.calls.length, 1);
  });
}

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
