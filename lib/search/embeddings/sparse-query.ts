import { cutCharacters } from "./batches.ts";
import type { SparseVector } from "./embedder.ts";
import type { SparseModel } from "./sparse-model.ts";
import { clampWeight } from "./sparse-vector.ts";

/** Tokens that the model reads: 512 less `[CLS]` and `[SEP]`. Also keeps a query below the cluster's 1,024 clauses. */
const MAX_TOKENS = 510;

/** Three times the length of 510 English tokens; bounds the tokenizer's time (50 ms for one endless word). */
const MAX_CHARACTERS = 8_192;

/**
 * Returns the sparse vector of a query without a model call: each distinct known token with its weight from the table.
 * Ignores unknown words and special tokens, also when the text spells them, as in "[MASK]". Without a known token the
 * vector is `{}`.
 */
export function sparseQuery(text: string, model: SparseModel): SparseVector {
  const tokens = model.tokenize(cutCharacters(text.toWellFormed(), MAX_CHARACTERS)).slice(0, MAX_TOKENS);
  const weights: [string, number][] = [];
  for (const token of new Set(tokens)) {
    const weight = clampWeight(model.weight(token) ?? 0);
    if (weight !== undefined) weights.push([token, weight]);
  }
  return Object.fromEntries(weights);
}
