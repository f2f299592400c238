import * as v from "valibot";
import type { ModelName } from "../../settings/embedding-models.ts";
import { type EmbedderName, embedderName, type ModelSettings, vectorsBySettings } from "../embeddings/embedder.ts";

const Embedded = v.object({
  model: v.string(),
  /** Commit, endpoint or place of an endpoint's model; id of a model on Bedrock. Vectors of two are not comparable. */
  revision: v.string(),
  dimension: v.optional(v.number()),
  src_fields: v.array(v.string()),
  /** How texts were split when the index was created; absent: not at all. */
  chunking: v.optional(v.object({ tokens: v.number(), overlap: v.number(), max_passages: v.number() })),
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

/**
 * Returns the embedder for a field of an index, or why there is none: that of the model which made its vectors, which may
 * be a previous one. It is the configured one if the index does not say.
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
 * A hold is an alias of the new index, from the moment when a run blocks writes to the old one until the new one takes its
 * place. Its name says until when the run may switch. Whoever removes the alias decides: the run removes it in the same
 * call that moves the aliases, and after its end a gateway removes it before it lifts the block. The cluster executes
 * only one of the two, because both require that the alias exists.
 */
export interface Hold {
  alias: string;
  /** Milliseconds since 1970. 0: a gateway has ended the hold and is about to lift the block. */
  until: number;
}

/** Returns the alias of a hold on writes to an index. */
export const holdAlias = (source: string, until: number): string => `relevance-hold-${until}-of-${source}`;

/** Returns the aliases that may be holds on writes to an index, as a pattern. */
export const holdPattern = (source: string): string => `relevance-hold-*-of-${source}`;

/** Returns the hold that an alias is, if it is one on writes to this index. */
export function holdOf(alias: string, source: string): Hold | undefined {
  const [, until, held] = HOLD.exec(alias) ?? [];
  return held === source ? { alias, until: Number(until) } : undefined;
}

/** Returns the index that an alias, or the pattern of its holds, holds writes to, if it is one. */
export const heldIndex = (alias: string): string | undefined => HOLD.exec(alias)?.[2];

/** An alias of {@link holdAlias} or a pattern of {@link holdPattern}. */
const HOLD = /^relevance-hold-(\d+|\*)-of-(.+)$/s;
