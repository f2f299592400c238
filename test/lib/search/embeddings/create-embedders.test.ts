import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { createEmbeddingCache } from "../../../../lib/search/embeddings/cache.ts";
import { createEmbedders, type EmbedderClients } from "../../../../lib/search/embeddings/create-embedders.ts";
import type { Embedder, EmbeddingError, ModelSettings } from "../../../../lib/search/embeddings/embedder.ts";
import { ModelFilesError } from "../../../../lib/search/embeddings/model-files.ts";
import type { ModelName } from "../../../../lib/settings/embedding-models.ts";
import { suite } from "../../../suite.ts";
import { awsError, brief, fakeClient, smallModel, tokensOf, vectorOf } from "./fixture.ts";

const test = suite("embeddings: created from settings");

const deadline = deadlineIn(20_000);

const common = { revision: "1", concurrency: 1 };
const DENSE = {
  name: "dense_large_en_v1_5",
  endpoint_name: "dense-endpoint",
  dimension: 1_024,
  query_prefix: "",
  passage_prefix: "",
  ...common,
} as const;
const SPARSE = { name: "sparse_v3", endpoint_name: "sparse-endpoint", prune_ratio: 0.1, ...common } as const;
const SETTINGS: ModelSettings[] = [
  DENSE,
  SPARSE,
  { name: "ext_embed_english_v3", model_id: "cohere.embed-english-v3", dimension: 1_024, ...common },
  { name: "ext_embed_multilingual_v3", model_id: "other-id", dimension: 8, ...common },
];

const clients = () => ({
  sagemaker: fakeClient(({ target, body }) =>
    body.inputs.map((text) => (target === "sparse-endpoint" ? [{ index: 5, value: 1 }] : vectorOf(text, 1_024))),
  ),
  bedrock: fakeClient(({ target, body }) => ({
    embeddings: body.texts.map((text) => vectorOf(text, target === "other-id" ? 8 : 1_024)),
  })),
  sparseModel: () => smallModel({ dragon: 3 }),
  cache: createEmbeddingCache(),
});

function get(embedders: ReadonlyMap<string, Embedder>, model: ModelName): Embedder {
  const found = embedders.get(model);
  if (!found) throw new Error(`no embedder for ${model}`);
  return found;
}

test("each configured model is called where it is hosted", async () => {
  const all = clients();
  const embedders = createEmbedders(SETTINGS, all);
  assert.equal(
    [...embedders.keys()],
    SETTINGS.map(({ name }) => name),
  );
  for (const { name: model } of SETTINGS) {
    const [outcome] = await get(embedders, model).embedDocuments(["dragon"], deadline);
    assert.is(outcome?.kind, model === "sparse_v3" ? "sparse" : "dense", `${model}: ${JSON.stringify(outcome)}`);
  }
  assert.equal(
    [...all.sagemaker.calls, ...all.bedrock.calls].map(({ target }) => target),
    ["dense-endpoint", "sparse-endpoint", "cohere.embed-english-v3", "other-id"],
  );
});

test("a sparse query needs no model call", async () => {
  const all = clients();
  const embedding = await get(createEmbedders(SETTINGS, all), "sparse_v3").embedQuery("Dragon egg", deadline);
  assert.equal(embedding, { kind: "sparse", tokens: { dragon: 3 } });
  assert.is(all.sagemaker.calls.length, 0);
});

test("sparse documents have vocabulary tokens and the configured pruning", async () => {
  const entries = [
    [
      { index: 2, value: 9 },
      { index: 5, value: 1 },
      { index: 6, value: 0.2 },
    ],
  ];
  const documents = async (prune_ratio: number) => {
    const all: EmbedderClients = {
      ...clients(),
      sagemaker: fakeClient(() => entries),
      sparseModel: () => smallModel({ dragon: 3, egg: 2 }),
    };
    const embedders = createEmbedders([{ ...SPARSE, prune_ratio }], all);
    const [outcome] = await get(embedders, "sparse_v3").embedDocuments(["x"], deadline);
    return tokensOf(outcome);
  };
  assert.equal(await documents(0.1), { dragon: Math.log1p(1), egg: Math.log1p(0.2) });
  assert.equal(await documents(0.5), { dragon: Math.log1p(1) });
});

test("missing model files fail sparse texts without a call, and only the cause names the folder", async () => {
  const all = { ...clients(), sparseModel: () => Promise.reject(new ModelFilesError("idf.json missing in /secret")) };
  const sparse = get(createEmbedders(SETTINGS, all), "sparse_v3");
  const message = "model files (tokenizer and weight table) are missing or damaged in this deployment";
  assert.equal(brief(await sparse.embedDocuments(["a", "b"], deadline)), [message, message]);
  const error = await sparse.embedQuery("a", deadline).catch((one: EmbeddingError) => one);
  assert.is((error as EmbeddingError).message, message);
  assert.is((error as EmbeddingError).retryable, false);
  assert.instance((error as EmbeddingError).cause, ModelFilesError);
  assert.is(all.sagemaker.calls.length, 0);
});

test("model files are not loaded for dense models", async () => {
  const all = { ...clients(), sparseModel: () => Promise.reject(new Error("loaded")) };
  const outcomes = await get(createEmbedders(SETTINGS, all), "dense_large_en_v1_5").embedDocuments(["a"], deadline);
  assert.equal(brief(outcomes), ["dense"]);
});

test("equal queries need one model call, and documents are never cached", async () => {
  const all = clients();
  const dense = get(createEmbedders(SETTINGS, all), "dense_large_en_v1_5");
  await dense.embedQuery("a", deadline);
  await dense.embedQuery("a", deadline);
  assert.is(all.sagemaker.calls.length, 1);
  await dense.embedDocuments(["a"], deadline);
  await dense.embedDocuments(["a"], deadline);
  assert.is(all.sagemaker.calls.length, 3);
});

test("another revision does not use cached vectors of the previous one", async () => {
  const all = clients();
  const dense = (revision: string) => get(createEmbedders([{ ...DENSE, revision }], all), "dense_large_en_v1_5");
  await dense("1").embedQuery("a", deadline);
  await dense("2").embedQuery("a", deadline);
  assert.is(all.sagemaker.calls.length, 2);
});

test("a model's own timeouts limit its calls", async () => {
  const all = clients();
  const [dense] = createEmbedders([{ ...DENSE, query_timeout_ms: 700, document_timeout_ms: 900 }], all).values();
  await dense?.embedQuery("a", deadline);
  await dense?.embedDocuments(["a"], deadline);
  assert.equal(
    all.sagemaker.calls.map(({ timeoutMs }) => timeoutMs),
    [700, 900],
  );
});

test("a model that is down is reported by name once for each pause, and others are still called", async () => {
  const paused: string[] = [];
  const sagemaker = fakeClient(({ target }) => {
    if (target === "sparse-endpoint") throw awsError("ServiceUnavailable", 503);
    return [vectorOf("a", 1_024)];
  });
  const onPause = (model: ModelName, input: string, reason: string) => paused.push(`${model} ${input}: ${reason}`);
  const embedders = createEmbedders(SETTINGS, { ...clients(), sagemaker, onPause, wait: async () => {} });
  // Each call makes three attempts. The sparse model has a new embedder for each call, but one breaker.
  for (let n = 0; n < 3; n += 1) await get(embedders, "sparse_v3").embedDocuments(["a"], deadline);
  assert.equal(paused, ["sparse_v3 document: model endpoint is unavailable"]);
  assert.is(sagemaker.calls.length, 4);
  assert.is((await get(embedders, "dense_large_en_v1_5").embedQuery("a", deadline)).kind, "dense");
});

test("documents have their own endpoint, limits and breaker", async () => {
  let isDown = false;
  const sagemaker = fakeClient(({ target, body }) => {
    if (isDown && target === "documents") throw awsError("ServiceUnavailable", 503);
    return body.inputs.map((text) => vectorOf(text, 1_024));
  });
  const paused: string[] = [];
  const settings = { ...DENSE, document_endpoint_name: "documents", document_concurrency: 3 } as const;
  const embedders = createEmbedders([settings], {
    ...clients(),
    sagemaker,
    onPause: (_, input) => paused.push(input),
    wait: async () => {},
  });
  const dense = get(embedders, "dense_large_en_v1_5");
  const texts = Array.from({ length: 200 }, (_, n) => `text ${n}`);
  await dense.embedDocuments(texts, deadline);
  isDown = true;
  await dense.embedDocuments(texts, deadline);
  assert.ok(sagemaker.peak > 1 && sagemaker.peak <= 3, `${sagemaker.peak} calls at once`);
  assert.equal(paused, ["document"]);
  assert.is((await dense.embedQuery("a", deadline)).kind, "dense");
  assert.is(sagemaker.calls.at(-1)?.target, "dense-endpoint");
  assert.equal([...new Set(sagemaker.calls.slice(0, -1).map(({ target }) => target))], ["documents"]);
});

test("queries do not wait for documents", async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const sagemaker = fakeClient(async ({ body }) => {
    if (body.inputs[0] === "document") await held;
    return body.inputs.map((text) => vectorOf(text, 1_024));
  });
  const dense = get(createEmbedders([DENSE], { ...clients(), sagemaker }), "dense_large_en_v1_5");
  const documents = dense.embedDocuments(["document"], deadline);
  assert.is((await dense.embedQuery("query", deadline)).kind, "dense");
  release();
  await documents;
});

test("a previous model of the same name has its own embedder and vectors", async () => {
  const bedrock = fakeClient(({ target, body }) => ({
    embeddings: body.texts.map(() => vectorOf(target === "cohere.new" ? "new" : "before", 8)),
  }));
  const hosted = { name: "ext_embed_bedrock", dimension: 8, ...common } as const;
  const embedders = createEmbedders(
    [
      { ...hosted, model_id: "cohere.new" },
      { ...hosted, model_id: "cohere.before", previous: true },
    ],
    { ...clients(), bedrock },
  );
  const now = await get(embedders, "ext_embed_bedrock").embedQuery("a", deadline);
  const before = await embedders.get("previous ext_embed_bedrock")?.embedQuery("a", deadline);
  assert.equal(
    [now, before],
    [
      { kind: "dense", vector: vectorOf("new", 8) },
      { kind: "dense", vector: vectorOf("before", 8) },
    ],
  );
});

test.run();
