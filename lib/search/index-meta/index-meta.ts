import * as v from "valibot";
import type { ModelName } from "../../config/embedding-models.ts";
import type { Models } from "../../config/model.ts";
import { bedrockModelId, isEndpointModel, vectorsOfEndpoint } from "../../config/model-sources.ts";
import { type EmbedderName, embedderName, type ModelSettings, vectorsBySettings } from "../embeddings/settings.ts";

const Embedded = v.object({
  model: v.string(),
  /** Commit, endpoint or place of an endpoint's model; id of a model on Bedrock. Vectors of two are not comparable. */
  revision: v.string(),
  dimension: v.optional(v.number()),
  src_fields: v.array(v.string()),
});

/** What the mapping's `_meta.relevance` says about the vectors of an index. */
export const IndexMeta = v.object({
  /** `index` of the entry in hybrid_search.yaml, for indexes whose own name it does not match. */
  entry: v.string(),
  embeddings: v.record(v.string(), Embedded),
});
export type IndexMeta = v.InferOutput<typeof IndexMeta>;

/** Reads the `_meta` of a mapping. Undefined for an index that nobody has described so. */
export function readIndexMeta(meta: unknown): IndexMeta | undefined {
  const result = v.safeParse(v.object({ relevance: IndexMeta }), meta);
  return result.success ? result.output.relevance : undefined;
}

/** Returns what tells the vectors of a model from those of another, by model.yaml. */
export function vectorsOf(name: ModelName, models: Models): string {
  return isEndpointModel(name) ? vectorsOfEndpoint(name, models) : bedrockModelId(name, models);
}

/**
 * Returns the embedder for a field of an index, or why there is none: that of the model which made its vectors, which may
 * be a previous one. It is the configured one if the index does not say.
 */
export function embedderFor(
  meta: IndexMeta | undefined,
  { embedding_field, model_name }: { embedding_field: string; model_name: ModelName },
  models: readonly ModelSettings[],
): { embedder: EmbedderName } | { unfit: string } {
  const made = meta?.embeddings[embedding_field];
  if (!made) return { embedder: model_name };
  const model = models.find((one) => one.name === made.model && vectorsBySettings(one) === made.revision);
  return model ? { embedder: embedderName(model) } : { unfit: UNFIT };
}

const UNFIT =
  "the index has vectors of another model than the configured one; rebuild it with `relevance index rebuild --embed`";
