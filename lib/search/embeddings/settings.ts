import * as v from "valibot";

const ofEveryModel = {
  /** Part of the cache key: another revision makes other vectors. */
  revision: v.string(),
  /** Simultaneous calls of one function instance. */
  concurrency: v.number(),
  /** Milliseconds of one call for a query or for documents; absent: the embedder's own. */
  query_timeout_ms: v.optional(v.number()),
  document_timeout_ms: v.optional(v.number()),
};

/** One embedding model: what its kind and its host need, and nothing else. */
export const ModelSettings = v.variant("name", [
  v.object({
    name: v.literal("dense_large_en_v1_5"),
    ...ofEveryModel,
    /** SageMaker endpoint. */
    endpoint_name: v.string(),
    /** Differs from the model's own where another model serves the local stack. */
    dimension: v.number(),
    /** Text before each query; may be empty. */
    query_prefix: v.string(),
    /** Text before each document; may be empty. */
    passage_prefix: v.string(),
  }),
  v.object({
    name: v.literal("sparse_v3"),
    ...ofEveryModel,
    endpoint_name: v.string(),
    /** Weights below this share of a document's largest are dropped. */
    prune_ratio: v.number(),
  }),
  v.object({
    name: v.picklist(["ext_embed_english_v3", "ext_embed_multilingual_v3", "ext_embed_bedrock"]),
    ...ofEveryModel,
    /** Id of a Bedrock model or inference profile. */
    model_id: v.string(),
    dimension: v.number(),
  }),
]);
export type ModelSettings = v.InferOutput<typeof ModelSettings>;
