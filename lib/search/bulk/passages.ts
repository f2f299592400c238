import { lookup } from "../../platform/json/lookup.ts";
import { isObject } from "../../platform/json/values.ts";
import { type DocumentEmbedding, EmbeddingError, type EmbeddingOutcome } from "../embeddings/embedder.ts";
import { hashOf } from "../embeddings/passages.ts";
import { join, type Piece } from "./draft.ts";
import type { Need, NeededPassage } from "./needs.ts";
import type { PassageMapping, TargetMapping } from "./target.ts";

interface Embedding {
  /** Returns the embedding of a passage's text. */
  embed: (text: string) => Promise<EmbeddingOutcome>;
  /** Returns the JSON of an embedding in the field's storage format. */
  stored: (embedded: DocumentEmbedding) => Promise<Piece>;
}

/** Returns the JSON of an embedding, or the error if there is none. */
export const storedUnless = async (
  outcome: EmbeddingOutcome,
  stored: Embedding["stored"],
): Promise<Piece | EmbeddingError> => (outcome.kind === "error" ? outcome.error : stored(outcome));

/**
 * Returns the JSON of a document's passages, or why a passage has no embedding. Dense: each passage with its vector and
 * position. Sparse: the greatest weight of each token over all passages.
 */
export async function passagesJson(
  passages: readonly NeededPassage[],
  mapping: PassageMapping,
  { embed, stored }: Embedding,
): Promise<Piece | EmbeddingError> {
  if (!mapping.isStored) return sparseJson(passages, { embed, stored });
  const pieces: Piece[] = [];
  for (const passage of passages) {
    const { text, start, end, stored: kept } = passage;
    const vector = kept ?? (await storedUnless(await embed(text), stored));
    if (vector instanceof EmbeddingError) return vector;
    const rest = JSON.stringify({ start, end, hash: hashOf(passage, mapping.madeBy) });
    pieces.push(pieces.length === 0 ? '[{"vector":' : ',{"vector":', vector, `,${rest.slice(1)}`);
  }
  return join([...pieces, "]"]);
}

async function sparseJson(
  passages: readonly NeededPassage[],
  { embed, stored }: Embedding,
): Promise<Piece | EmbeddingError> {
  const most = new Map<string, number>();
  for (const { text } of passages) {
    const outcome = await embed(text);
    if (outcome.kind === "error") return outcome.error;
    for (const [token, weight] of Object.entries<number>(JSON.parse(outcome.json.toString()))) {
      if (weight > (most.get(token) ?? 0)) most.set(token, weight);
    }
  }
  return stored({ kind: "sparse", json: JSON.stringify(Object.fromEntries(most)) });
}

/** Returns a need in which unchanged passages reuse their stored vectors, if these are of the same model. */
export function withStored(
  need: Need,
  { embedding_field, passages: mapping }: TargetMapping,
  document: Readonly<Record<string, unknown>>,
): Need {
  if (need.kind !== "text" || !need.passages || !mapping?.isStored) return need;
  const vectors = new Map<unknown, string>();
  for (const stored of lookup(document, embedding_field).values.flat()) {
    if (isObject(stored) && Array.isArray(stored.vector)) vectors.set(stored.hash, JSON.stringify(stored.vector));
  }
  const passages = need.passages.map((passage): NeededPassage => {
    const stored = vectors.get(hashOf(passage, mapping.madeBy));
    return stored === undefined ? passage : { ...passage, stored };
  });
  return { ...need, passages };
}
