import * as assert from "uvu/assert";
import type { ModelSettings } from "../../../../lib/search/embeddings/settings.ts";
import { readIndexMeta, unfitReason } from "../../../../lib/search/index-meta/index-meta.ts";
import { suite } from "../../../suite.ts";

const test = suite("what an index says about its vectors");

const MODELS: ModelSettings[] = [
  { name: "sparse_v3", endpoint_name: "sparse", revision: "2", concurrency: 4, prune_ratio: 0.1 },
  {
    name: "ext_embed_bedrock",
    model_id: "amazon.titan-embed-text-v2:0",
    revision: "main",
    concurrency: 4,
    dimension: 8,
  },
];

const reason = (field: string, model: string, revision: string, configured: ModelSettings["name"]) => {
  const embeddings = { [field]: { model, revision, src_fields: ["text"] } };
  const meta = readIndexMeta({ relevance: { entry: "books", embeddings } });
  return unfitReason(meta, { embedding_field: "vector", model_name: configured }, MODELS);
};

test("vectors of another model or revision do not fit", () => {
  assert.is(reason("vector", "sparse_v3", "2", "sparse_v3"), undefined);
  assert.match(reason("vector", "sparse_v3", "1", "sparse_v3") ?? "", "another model");
  assert.match(reason("vector", "ext_embed_english_v3", "2", "sparse_v3") ?? "", "another model");
});

test("models of Bedrock differ by their id", () => {
  assert.is(reason("vector", "ext_embed_bedrock", "amazon.titan-embed-text-v2:0", "ext_embed_bedrock"), undefined);
  assert.match(reason("vector", "ext_embed_bedrock", "cohere.embed-v4:0", "ext_embed_bedrock") ?? "", "another model");
});

test("an index that says nothing about a field fits", () => {
  assert.is(reason("other", "sparse_v3", "1", "sparse_v3"), undefined);
  for (const meta of [undefined, {}, { relevance: { entry: 7 } }]) {
    assert.is(readIndexMeta(meta), undefined);
  }
});

test.run();
