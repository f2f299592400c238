import * as assert from "uvu/assert";
import type { ModelSettings } from "../../../../lib/search/embeddings/embedder.ts";
import { embedderFor, readIndexMeta } from "../../../../lib/search/index-meta/index-meta.ts";
import { suite } from "../../../suite.ts";

const test = suite("metadata of an index about its vectors");

const MODELS: ModelSettings[] = [
  { name: "sparse_v3", endpoint_name: "sparse", revision: "2", concurrency: 4, prune_ratio: 0.1 },
  {
    name: "ext_embed_bedrock",
    model_id: "amazon.titan-embed-text-v2:0",
    revision: "main",
    concurrency: 4,
    dimension: 8,
  },
  {
    name: "ext_embed_bedrock",
    model_id: "cohere.embed-v4:0",
    revision: "main",
    concurrency: 4,
    dimension: 8,
    previous: true,
  },
];

const embedder = (field: string, model: string, revision: string, configured: ModelSettings["name"]) => {
  const embeddings = { [field]: { model, revision, src_fields: ["text"] } };
  const meta = readIndexMeta({ relevance: { entry: "books", embeddings } });
  const found = embedderFor(meta, { embedding_field: "vector", model_name: configured }, MODELS);
  return "embedder" in found ? found.embedder : found.incompatible;
};

test("vectors of an unknown model or revision do not fit", () => {
  assert.is(embedder("vector", "sparse_v3", "2", "sparse_v3"), "sparse_v3");
  assert.match(embedder("vector", "sparse_v3", "1", "sparse_v3"), "another model");
  assert.match(embedder("vector", "ext_embed_english_v3", "2", "sparse_v3"), "another model");
});

test("models of Bedrock are told apart by their ids", () => {
  assert.is(
    embedder("vector", "ext_embed_bedrock", "amazon.titan-embed-text-v2:0", "ext_embed_bedrock"),
    "ext_embed_bedrock",
  );
  assert.match(embedder("vector", "ext_embed_bedrock", "cohere.embed-v3:0", "ext_embed_bedrock"), "another model");
});

test("a previous model embeds for the indexes whose vectors it made", () => {
  assert.is(
    embedder("vector", "ext_embed_bedrock", "cohere.embed-v4:0", "ext_embed_bedrock"),
    "previous ext_embed_bedrock",
  );
  assert.is(embedder("vector", "ext_embed_bedrock", "cohere.embed-v4:0", "sparse_v3"), "previous ext_embed_bedrock");
});

test("a model that another mapping uses also embeds for the indexes whose vectors it made", () => {
  assert.is(embedder("vector", "ext_embed_bedrock", "amazon.titan-embed-text-v2:0", "sparse_v3"), "ext_embed_bedrock");
});

test("an index without metadata about a field has vectors of the configured model", () => {
  assert.is(embedder("other", "sparse_v3", "1", "sparse_v3"), "sparse_v3");
  for (const meta of [undefined, {}, { relevance: { entry: 7 } }]) {
    assert.is(readIndexMeta(meta), undefined);
  }
});

test.run();
