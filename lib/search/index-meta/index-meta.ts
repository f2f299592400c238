import * as v from "valibot";
import type { ModelName } from "../../settings/embedding-models.ts";
import { type EmbedderName, embedderName, type ModelSettings, vectorsBySettings } from "../embeddings/embedder.ts";

const Embedded = v.object({
  model: v.string(),
  /**
   * Commit, endpoint or local path of an endpoint's model; id of a model on Bedrock. Vectors of different revisions are
   * not comparable.
   */
  revision: v.string(),
  dimension: v.optional(v.number()),
  src_fields: v.array(v.string()),
  /** Chunking when the index was created; absent if texts were not split. */
  chunking: v.optional(v.object({ tokens: v.number(), overlap: v.number(), max_passages: v.number() })),
});

/** Description of an index's vectors in its mapping: `_meta.relevance`. */
export const IndexMeta = v.object({
  /** `index` of the entry in hybrid_search.yaml, for indexes whose own name does not match it. */
  entry: v.string(),
  embeddings: v.record(v.string(), Embedded),
});
export type IndexMeta = v.InferOutput<typeof IndexMeta>;

/** Reads the `_meta` of a mapping. Undefined for an index without this description. */
export function readIndexMeta(meta: unknown): IndexMeta | undefined {
  const result = v.safeParse(v.object({ relevance: IndexMeta }), meta);
  return result.success ? result.output.relevance : undefined;
}

/**
 * Returns the embedder for a field of an index, or why there is none. It is the model that made the index's vectors,
 * which may be a previous one; without a description, the configured model.
 */
export function embedderFor(
  meta: IndexMeta | undefined,
  { embedding_field, model_name }: { embedding_field: string; model_name: ModelName },
  models: readonly ModelSettings[],
): { embedder: EmbedderName } | { incompatible: string } {
  const made = meta?.embeddings[embedding_field];
  if (!made) return { embedder: model_name };
  const model = models.find((one) => one.name === made.model && vectorsBySettings(one) === made.revision);
  return model ? { embedder: embedderName(model) } : { incompatible: INCOMPATIBLE };
}

const INCOMPATIBLE =
  "the index has vectors of another model than the configured one; rebuild it with `relevance index rebuild --embed`";

/**
 * Write block of a rebuild ("hold"). It is an alias of the new index, from the moment when the rebuild blocks writes to
 * the old index until the switch. Its name contains the time until which the rebuild may switch. The rebuild removes it
 * in the call that moves the aliases; after expiry, a gateway removes it before it lifts the block. Both calls require
 * that the alias exists, so the cluster executes only one of them.
 */
export interface Hold {
  alias: string;
  /** Milliseconds since 1970. 0: a gateway has ended the hold and will lift the block. */
  until: number;
}

/** Returns the alias that marks a write block (hold) on an index until a time. */
export const holdAlias = (source: string, until: number): string => `relevance-hold-${until}-of-${source}`;

/** Returns the pattern of all hold aliases of an index. */
export const holdPattern = (source: string): string => `relevance-hold-*-of-${source}`;

/** Returns the hold of an alias; undefined if the alias is no hold on this index. */
export function holdOf(alias: string, source: string): Hold | undefined {
  const [, until, held] = HOLD.exec(alias) ?? [];
  return held === source ? { alias, until: Number(until) } : undefined;
}

/** Returns the index whose writes a hold alias, or the pattern of its aliases, blocks; undefined for other aliases. */
export const heldIndex = (alias: string): string | undefined => HOLD.exec(alias)?.[2];

/** An alias of {@link holdAlias} or a pattern of {@link holdPattern}. */
const HOLD = /^relevance-hold-(\d+|\*)-of-(.+)$/s;
