import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { createEmbeddingCache } from "../../../../lib/search/embeddings/cache.ts";
import { createEmbedders } from "../../../../lib/search/embeddings/create-embedders.ts";
import type { ModelSettings } from "../../../../lib/search/embeddings/embedder.ts";
import type { Protocol } from "../../../../lib/settings/model-protocol.ts";
import { suite } from "../../../suite.ts";
import { type FakeClient, fakeClient } from "./fixture.ts";

const test = suite("embeddings: models that model.yaml describes");
const deadline = deadlineIn(20_000);
const UNIT = [0.6, 0.8, 0];

const PROTOCOL: Protocol = {
  request: { inputs: "[texts]", kind: "[input_type]", options: { truncate: true } },
  answer: "data[].embedding",
  batch_size: 2,
  max_characters: 20,
  input_types: { query: "question", document: "passage" },
};

const onEndpoint = (protocol: Protocol): ModelSettings => ({
  name: "dense_large_en_v1_5",
  endpoint_name: "mine",
  revision: "1",
  concurrency: 1,
  dimension: 3,
  query_prefix: "Q: ",
  passage_prefix: "P: ",
  protocol,
});
const onBedrock = (protocol: Protocol): ModelSettings => ({
  name: "ext_embed_bedrock",
  model_id: "acme.embed-v1:0",
  revision: "main",
  concurrency: 1,
  dimension: 3,
  protocol,
});

function embedder(settings: ModelSettings, client: FakeClient) {
  const unused = fakeClient(() => ({}));
  const clients = settings.name === "ext_embed_bedrock" ? [unused, client] : [client, unused];
  const [sagemaker = client, bedrock = client] = clients;
  const sparseModel = () => Promise.reject(new Error("no sparse model"));
  const all = createEmbedders([settings], { sagemaker, bedrock, sparseModel, cache: createEmbeddingCache() });
  const [first] = all.values();
  if (!first) throw new Error("no embedder");
  return first;
}

const bodies = ({ calls }: FakeClient) => calls.map(({ target, body }) => [target, body as unknown]);

test("requests have the texts, prefixes and words of the description, in batches, and vectors are read by path", async () => {
  const client = fakeClient(({ body }) => ({
    data: (body as unknown as { inputs: string[] }).inputs.map(() => ({ embedding: UNIT })),
  }));
  const model = embedder(onEndpoint(PROTOCOL), client);
  const outcomes = await model.embedDocuments(["a", '"[texts]" [text]', "x".repeat(50)], deadline);
  assert.equal(
    outcomes.map((one) => (one.kind === "dense" ? JSON.parse(one.json.toString()) : one)),
    [UNIT, UNIT, UNIT],
  );
  assert.equal(await model.embedQuery("a", deadline), { kind: "dense", vector: UNIT });
  const options = { truncate: true };
  assert.equal(bodies(client), [
    ["mine", { inputs: ["P: a", 'P: "[texts]" [text]'], kind: "passage", options }],
    ["mine", { inputs: [`P: ${"x".repeat(17)}`], kind: "passage", options }],
    ["mine", { inputs: ["Q: a"], kind: "question", options }],
  ]);
});

test("a model on Bedrock takes one text a call, and answers with one vector or a list", async () => {
  const protocol: Protocol = {
    request: { text: "[text]" },
    answer: "result.vector",
    batch_size: 1,
    max_characters: 100,
  };
  for (const vector of [UNIT, [UNIT], [3, 4, 0]]) {
    const client = fakeClient(() => ({ result: { vector } }));
    const [first] = await embedder(onBedrock(protocol), client).embedDocuments(["a"], deadline);
    const numbers: number[] = first?.kind === "dense" ? JSON.parse(first.json.toString()) : [];
    assert.equal(
      numbers.map((one) => Number(one.toFixed(6))),
      UNIT,
    );
    assert.equal(bodies(client), [["acme.embed-v1:0", { text: "a" }]]);
  }
});

test("an answer of another form fails the texts, and names the path", async () => {
  for (const answer of [{ data: { embedding: UNIT } }, { vectors: [UNIT] }, [UNIT]]) {
    const client = fakeClient(() => answer);
    const [first] = await embedder(onEndpoint(PROTOCOL), client).embedDocuments(["a"], deadline);
    assert.is(first?.kind, "error");
    if (first?.kind === "error") assert.match(first.error.message, /without vectors at data\[\]\.embedding/);
  }
});

test("an answer that is the list itself needs no path", async () => {
  const { answer: _, ...protocol } = PROTOCOL;
  const client = fakeClient(() => [UNIT]);
  const [first] = await embedder(onEndpoint(protocol), client).embedDocuments(["a"], deadline);
  assert.is(first?.kind, "dense");
});

test.run();
