import * as v from "valibot";
import type { ModelName } from "../../config/embedding-models.ts";

const ofEveryModel = {
  /** Part of the cache key: another revision makes other vectors. */
  revision: v.string(),
  /** Simultaneous calls of one function instance for queries. */
  concurrency: v.number(),
  /** The same for documents; absent: as many. */
  document_concurrency: v.optional(v.number()),
  /** Whether the model only embeds for indexes that it made the vectors of, since another one is configured now. */
  previous: v.optional(v.literal(true)),
  /** Milliseconds of one call for a query or for documents; absent: the embedder's own. */
  query_timeout_ms: v.optional(v.number()),
  document_timeout_ms: v.optional(v.number()),
};

/** One embedding model: what its kind and its host need, and nothing else. */
export const ModelSettings = v.variant("name", [
  v.object({
    name: v.literal("dense_large_en_v1_5"),
    ...ofEveryModel,
    /** SageMaker endpoint, and the one for documents; absent: the same. */
    endpoint_name: v.string(),
    document_endpoint_name: v.optional(v.string()),
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

/** Returns what tells the vectors of a model from those of others. */
export const vectorsBySettings = (settings: ModelSettings): string =>
  "model_id" in settings ? settings.model_id : settings.revision;

/** Names a model of the settings, of which a previous one may have the name of another. */
export type EmbedderName = ModelName | `previous ${ModelName}`;

/** Returns the name of a model of the settings. */
export const embedderName = ({ name, previous }: ModelSettings): EmbedderName => (previous ? `previous ${name}` : name);
