import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { bedrockProtocol } from "../../../../lib/search/embeddings/bedrock-models.ts";
import { createEmbeddingCache } from "../../../../lib/search/embeddings/cache.ts";
import { createEmbedders } from "../../../../lib/search/embeddings/create-embedders.ts";
import { describedModel } from "../../../../lib/search/embeddings/described-model.ts";
import type { Embedder } from "../../../../lib/search/embeddings/embedder.ts";
import { hostedEmbedder } from "../../../../lib/search/embeddings/hosted-embedder.ts";
import { createSemaphore } from "../../../../lib/search/embeddings/semaphore.ts";
import { suite } from "../../../suite.ts";
import { awsError, brief, type FakeClient, fakeClient, knownPace, vectorOf } from "./fixture.ts";

const test = suite("embeddings: models on Bedrock");

const DIMENSION = 3;
const deadline = deadlineIn(20_000);

function embedder(client: FakeClient, concurrency = 2, target = "cohere.embed-english-v3") {
  const protocol = bedrockProtocol(target, DIMENSION);
  const prefixes = { query: "", document: "" };
  return hostedEmbedder(
    describedModel({ model: "ext_embed_english_v3", client, target, dimension: DIMENSION, protocol, prefixes }),
    { semaphore: createSemaphore(concurrency), pace: knownPace(), wait: async () => {} },
  );
}

const healthy = () => fakeClient(({ body }) => ({ embeddings: body.texts.map((text) => vectorOf(text, DIMENSION)) }));

test("documents and queries have their own input type, and both ask for truncation", async () => {
  const client = healthy();
  await embedder(client).embedDocuments(["a"], deadline);
  await embedder(client).embedQuery("a", deadline);
  assert.equal(
    client.calls.map(({ target, body }) => [target, body]),
    [
      ["cohere.embed-english-v3", { texts: ["a"], input_type: "search_document", truncate: "END" }],
      ["cohere.embed-english-v3", { texts: ["a"], input_type: "search_query", truncate: "END" }],
    ],
  );
});

test("a call has at most 96 texts", async () => {
  const client = healthy();
  await embedder(client).embedDocuments(new Array(97).fill("a"), deadline);
  assert.equal(client.calls.map(({ body }) => body.texts.length).sort(), [1, 96]);
});

test("a document or query has at most 2,048 characters and is cut between code points", async () => {
  const client = healthy();
  await embedder(client).embedDocuments(["a".repeat(2_049), `${"a".repeat(2_047)}😀`, "😀".repeat(1_025)], deadline);
  assert.equal(client.calls[0]?.body.texts, ["a".repeat(2_048), "a".repeat(2_047), "😀".repeat(1_024)]);
  await embedder(client).embedQuery("é".repeat(3_000), deadline);
  assert.equal(client.calls[1]?.body.texts, ["é".repeat(2_048)]);
});

test("both shapes of the answer are read", async () => {
  const plain = fakeClient(() => ({ id: "x", embeddings: [[1, 0, 0]], response_type: "embeddings_floats" }));
  const byType = fakeClient(() => ({ embeddings: { float: [[1, 0, 0]] }, response_type: "embeddings_by_type" }));
  const expected = { kind: "dense", vector: [1, 0, 0] };
  assert.equal(await embedder(plain).embedQuery("a", deadline), expected);
  assert.equal(await embedder(byType, 1, "cohere.embed-v4:0").embedQuery("a", deadline), expected);
});

for (const [name, answer] of [
  ["no embeddings", { message: "x" }],
  ["embeddings of another type only", { embeddings: { int8: [[1, 0, 0]] } }],
  ["null", null],
] as const) {
  test(`an answer with ${name} is an error`, async () => {
    const outcomes = await embedder(fakeClient(() => answer)).embedDocuments(["a"], deadline);
    assert.equal(brief(outcomes), ["model answered without vectors at embeddings"]);
  });
}

test("too few vectors are an error", async () => {
  const outcomes = await embedder(fakeClient(() => ({ embeddings: [[1, 0, 0]] }))).embedDocuments(["a", "b"], deadline);
  assert.equal(brief(outcomes), new Array(2).fill("model gave 1 vectors for 2 texts"));
});

test("query_concurrency bounds queries and documents together", async () => {
  const client = fakeClient(async ({ body }) => {
    await new Promise(setImmediate);
    return { embeddings: body.texts.map((text) => vectorOf(text, DIMENSION)) };
  });
  const one = embedder(client, 3);
  await Promise.all([
    one.embedDocuments(new Array(96 * 6).fill("a"), deadline),
    ...Array.from({ length: 6 }, (_, i) => one.embedQuery(`q${i}`, deadline)),
  ]);
  assert.is(client.calls.length, 12);
  assert.is(client.peak, 3);
});

test("a text that Bedrock refuses does not fail the other texts", async () => {
  const client = fakeClient(({ body }) => {
    if (body.texts.includes("bad")) throw awsError("ValidationException", 400);
    return { embeddings: body.texts.map((text) => vectorOf(text, DIMENSION)) };
  });
  const outcomes = await embedder(client).embedDocuments(["a", "b", "bad", "c", "d"], deadline);
  assert.equal(brief(outcomes), ["dense", "dense", "model refused the input", "dense", "dense"]);
});

test("version 4 receives the configured dimension and its own option for truncation", async () => {
  const client = fakeClient(() => ({ embeddings: { float: [[1, 0, 0]] } }));
  const v4 = embedder(client, 1, "eu.cohere.embed-v4:0");
  assert.equal(await v4.embedQuery("a".repeat(9_000), deadline), { kind: "dense", vector: [1, 0, 0] });
  const body: unknown = client.calls[0]?.body;
  assert.equal(body, {
    texts: ["a".repeat(8_192)],
    input_type: "search_query",
    truncate: "RIGHT",
    output_dimension: DIMENSION,
    embedding_types: ["float"],
  });
});

// Titan

/** The embedder for a model id in the settings of `ext_embed_bedrock`, and the bodies that its model receives. */
function titan(model_id: string, answer: unknown = { embedding: [1, 0, 0], inputTextTokenCount: 1 }) {
  const client = fakeClient(() => answer);
  const settings = { name: "ext_embed_bedrock", revision: "main", concurrency: 2, model_id, dimension: 3 } as const;
  const embedders = createEmbedders([settings], {
    sagemaker: fakeClient(() => assert.unreachable()),
    bedrock: client,
    sparseModel: () => Promise.reject(new Error("no files")),
    cache: createEmbeddingCache(),
  });
  const bodies = (): unknown[] => client.calls.map(({ target, body }) => [target, body]);
  return { embedder: embedders.get("ext_embed_bedrock") as Embedder, bodies };
}

test("each text is a call of its own, in the order of the texts", async () => {
  const { embedder, bodies } = titan("amazon.titan-embed-text-v2:0");
  assert.equal(brief(await embedder.embedDocuments(["a", "b"], deadline)), ["dense", "dense"]);
  const rest = { dimensions: 3, normalize: true };
  assert.equal(bodies(), [
    ["amazon.titan-embed-text-v2:0", { inputText: "a", ...rest }],
    ["amazon.titan-embed-text-v2:0", { inputText: "b", ...rest }],
  ]);
});

test("version 1 has one dimension and takes no other field", async () => {
  const { embedder, bodies } = titan("amazon.titan-embed-text-v1");
  await embedder.embedQuery("a", deadline);
  assert.equal(bodies(), [["amazon.titan-embed-text-v1", { inputText: "a" }]]);
});

test("a long text is cut, since Titan refuses it", async () => {
  const { embedder, bodies } = titan("amazon.titan-embed-text-v1");
  await embedder.embedQuery("é".repeat(9_000), deadline);
  assert.equal(bodies(), [["amazon.titan-embed-text-v1", { inputText: "é".repeat(8_192) }]]);
});

test("an answer without a vector of the configured dimension is an error", async () => {
  const outcomes = async (answer: unknown) =>
    brief(await titan("amazon.titan-embed-text-v2:0", answer).embedder.embedDocuments(["a"], deadline));
  assert.match((await outcomes({ embedding: [1, 0] }))[0] ?? "", "2 dimensions, 3 are configured");
  assert.is((await outcomes({}))[0] === "dense", false);
});

test.run();
