import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deadlineIn } from "@relevance/lib/platform/resilience/deadline.ts";
import { createEmbeddingCache } from "@relevance/lib/search/embeddings/cache.ts";
import { createEmbedders } from "@relevance/lib/search/embeddings/create-embedders.ts";
import type { Embedder, Embedding, EmbeddingOutcome } from "@relevance/lib/search/embeddings/embedder.ts";
import { bedrockClient, ModelCallTimeout, sageMakerClient } from "@relevance/lib/search/embeddings/model-client.ts";
import { sparseModelIn } from "@relevance/lib/search/embeddings/sparse-model.ts";
import type { ModelName } from "@relevance/lib/settings/embedding-models.ts";
import { patient } from "@relevance/processes/wait.ts";
import * as assert from "uvu/assert";
import { brief, tokensOf } from "../../../test/lib/search/embeddings/fixture.ts";
import { suite } from "../../../test/suite.ts";
import { generateModelFiles } from "../model-files.ts";
import { connection, startModels, startServer } from "./serve.ts";

const test = suite("stand-in models through the AWS SDK");

let models: Awaited<ReturnType<typeof startModels>>;
let embedders: ReadonlyMap<string, Embedder>;
let folder: string;

const concurrency = 3;
const DENSE = {
  revision: "1",
  concurrency,
  name: "dense_large_en_v1_5",
  dimension: 1024,
  query_prefix: "",
  passage_prefix: "",
} as const;

test.before(async () => {
  models = await startModels();
  folder = await mkdtemp(join(tmpdir(), "models-"));
  await generateModelFiles(folder);
});

const embeddersFor = (queryTimeoutMs: number) =>
  createEmbedders(
    [
      { ...DENSE, concurrency, endpoint_name: "shop-dense-large-en-v1-5" },
      { revision: "1", concurrency, name: "sparse_v3", endpoint_name: "shop-sparse-v3", prune_ratio: 0.1 },
      {
        revision: "1",
        concurrency,
        name: "ext_embed_english_v3",
        model_id: "cohere.embed-english-v3",
        dimension: 1024,
      },
      { revision: "1", concurrency, name: "ext_embed_multilingual_v3", model_id: "cohere.absent-v9", dimension: 1024 },
    ],
    {
      sagemaker: models.sagemaker,
      bedrock: models.bedrock,
      sparseModel: sparseModelIn(folder),
      cache: createEmbeddingCache(),
      queryTimeoutMs,
      wait: async () => {},
    },
  );

test.before.each(() => {
  models.control.reset();
  // So long that only the test of the timeout reaches it.
  embedders = embeddersFor(20_000);
});

test.after(async () => {
  await models.close();
  await rm(folder, { recursive: true });
});

const deadline = () => deadlineIn(patient(20_000));

function use(model: ModelName): Embedder {
  const found = embedders.get(model);
  if (!found) throw new Error(`no ${model}`);
  return found;
}

const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, component, i) => sum + component * (b[i] ?? 0), 0);

/** Returns the numbers of a dense embedding, of a query or of a document. */
function numbersOf(embedding: Embedding | EmbeddingOutcome | undefined): readonly number[] {
  if (embedding?.kind !== "dense") throw new Error("not dense");
  return "json" in embedding ? JSON.parse(embedding.json.toString()) : embedding.vector;
}

const TEXTS = ["The last dragon egg is stolen by a thief.", "Soup recipes for cold winter days."];

for (const model of ["dense_large_en_v1_5", "ext_embed_english_v3"] as const) {
  test(`${model}: ranks the text that shares words with the query first`, async () => {
    const query = numbersOf(await use(model).embedQuery("a thief and a dragon", deadline()));
    const outcomes = await use(model).embedDocuments(TEXTS, deadline());
    const [dragon = [], soup = []] = outcomes.map(numbersOf);
    assert.ok(dot(query, dragon) > dot(query, soup) + 0.2);
    assert.is(dragon.length, 1_024);
    assert.ok(Math.abs(dot(dragon, dragon) - 1) < 1e-5);
  });
}

test("sparse: gives query and document the same tokens, without special ones", async () => {
  const [document] = await use("sparse_v3").embedDocuments(TEXTS, deadline());
  const query = await use("sparse_v3").embedQuery("dragons", deadline());
  assert.ok((tokensOf(document).dragon ?? 0) > 0.5);
  assert.ok((tokensOf(query).dragon ?? 0) > 1);
  assert.equal(
    Object.keys(tokensOf(document)).filter((token) => token.startsWith("[")),
    [],
  );
});

for (const [model, status, calls, message] of [
  ["dense_large_en_v1_5", 429, 3, "model is overloaded (status 429)"],
  ["dense_large_en_v1_5", 424, 1, "model failed (status 424)"],
  ["ext_embed_english_v3", 429, 3, "model endpoint throttles"],
  ["ext_embed_english_v3", 503, 3, "model endpoint is unavailable"],
  ["ext_embed_english_v3", 408, 3, "model did not answer in time"],
  ["ext_embed_english_v3", 424, 1, "model failed on the request"],
  ["ext_embed_english_v3", 500, 1, "model endpoint failed with an internal error"],
  ["ext_embed_english_v3", 403, 1, "access to the model is denied"],
] as const) {
  test(`${status} of ${model}: ${message}`, async () => {
    models.control.setFaults(model, [{ kind: "status", status }]);
    assert.equal(brief(await use(model).embedDocuments(["a"], deadline())), [message]);
    assert.is(models.control.counts(model).calls, calls);
  });
}

test("retries an unavailable service on both hosts", async () => {
  for (const model of ["dense_large_en_v1_5", "ext_embed_english_v3"] as const) {
    models.control.setFaults(model, [{ kind: "unavailable", first: 1 }]);
    assert.equal(brief(await use(model).embedDocuments(["a"], deadline())), ["dense"]);
  }
});

test("ends a query to a hanging model after two timeouts", async () => {
  models.control.setFaults("dense_large_en_v1_5", [{ kind: "hang" }]);
  const timeoutMs = patient(1_000);
  const error = await embeddersFor(timeoutMs)
    .get("dense_large_en_v1_5")
    ?.embedQuery("a", deadline())
    .catch((one: Error) => one);
  assert.is((error as Error).message, `model endpoint timed out after ${timeoutMs} ms`);
  assert.is(models.control.counts("dense_large_en_v1_5").calls, 2);
});

test("reports a missing model or endpoint as an error without its name", async () => {
  assert.equal(brief(await use("ext_embed_multilingual_v3").embedDocuments(["a"], deadline())), [
    "model refused the input",
  ]);
  const [absent] = createEmbedders([{ ...DENSE, endpoint_name: "absent" }], {
    ...models,
    sparseModel: sparseModelIn(folder),
    cache: createEmbeddingCache(),
  }).values();
  assert.equal(brief((await absent?.embedDocuments(["a"], deadline())) ?? []), [
    "model endpoint does not exist or does not take this request",
  ]);
});

test("uses the SDK without its own retries, and keeps connections open, on both hosts", async () => {
  const server = await startServer(() => ({ status: 503, headers: { "x-amzn-errortype": "ServiceUnavailable" } }));
  try {
    const clients = [sageMakerClient(connection(server.url)), bedrockClient(connection(server.url))];
    for (const [i, client] of clients.entries()) {
      await client.load();
      for (let call = 0; call < 3; call += 1) await client.invoke("x", "{}", 5_000).catch(() => {});
      assert.is(server.requests.length, (i + 1) * 3);
      assert.is(server.connections.size, i + 1);
    }
  } finally {
    await server.close();
  }
});

test("aborts an endless body at the timeout, on both hosts", async () => {
  const server = await startServer(() => ({ body: "[[0.1,", unfinished: true }));
  try {
    for (const client of [sageMakerClient(connection(server.url)), bedrockClient(connection(server.url))]) {
      const started = performance.now();
      const error = await client.invoke("x", "{}", 200).catch((one: unknown) => one);
      assert.instance(error, ModelCallTimeout);
      assert.ok(performance.now() - started < patient(20_000));
    }
  } finally {
    await server.close();
  }
});

test("treats refused and dropped connections as transient", async () => {
  const server = await startServer(() => ({ drop: true }));
  const embed = async () => {
    const [embedder] = createEmbedders([{ ...DENSE, endpoint_name: "e" }], {
      sagemaker: sageMakerClient(connection(server.url)),
      bedrock: bedrockClient(connection(server.url)),
      sparseModel: sparseModelIn(folder),
      cache: createEmbeddingCache(),
      wait: async () => {},
    }).values();
    return brief((await embedder?.embedDocuments(["a"], deadline())) ?? []);
  };
  const dropped = await embed().finally(server.close);
  assert.equal(dropped, ["model endpoint closed the connection"]);
  assert.is(server.requests.length, 3);
  assert.equal(await embed(), ["model endpoint refused the connection"]);
});

test.run();
