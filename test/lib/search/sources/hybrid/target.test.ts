import * as assert from "uvu/assert";
import type { GatewayServices } from "../../../../../lib/search/gateway/services.ts";
import type { Cluster } from "../../../../../lib/search/opensearch/cluster.ts";
import { createIndexCatalog } from "../../../../../lib/search/opensearch/index-catalog.ts";
import { hybridTarget } from "../../../../../lib/search/sources/hybrid/target.ts";
import { suite } from "../../../../suite.ts";

const test = suite("lib/search/sources/hybrid/target");

const dense = { type: "knn_vector", dimension: 384 };
const model = { properties: { id: { type: "text", index: false }, type: { type: "text", index: false } } };

/** The mapping that a cluster makes of `semantic` fields: of whole texts, of passages, and within an object. */
const PROPERTIES = {
  title: { type: "text" },
  whole: { type: "semantic", model_id: "m" },
  whole_semantic_info: { properties: { embedding: dense, model } },
  split: { type: "semantic", model_id: "m", chunking: true },
  split_semantic_info: {
    properties: {
      chunks: { type: "nested", properties: { text: { type: "text" }, embedding: dense } },
      model,
    },
  },
  part: {
    properties: {
      note: { type: "semantic", model_id: "s", semantic_info_field_name: "made" },
      made: { properties: { embedding: { type: "rank_features" }, model } },
    },
  },
  own: dense,
};

test("leaves out the embeddings that the cluster makes, and keeps the texts of passages beside them", async () => {
  const described = { books: { aliases: {}, mappings: { properties: PROPERTIES }, settings: {} } };
  const cluster: Cluster = {
    send: async () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(described)) }),
  };
  const services = {
    catalog: createIndexCatalog(cluster),
    capabilities: async () => ({}),
    settings: { indexes: [], models: [] },
  } as unknown as GatewayServices;
  const { embeddings } = await hybridTarget(services, "books", { remaining: () => 1_000 });
  assert.equal(embeddings, [
    "whole_semantic_info.embedding",
    "split_semantic_info.chunks.embedding",
    "part.made.embedding",
  ]);
});

test.run();
