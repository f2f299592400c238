import { cutCharacters } from "./batches.ts";
import { type EmbeddingOutcome, fitsFloat, type SparseVector, unusable } from "./embedder.ts";
import type { SparseModel } from "./sparse-model.ts";

/** Lucene's bounds of a feature's weight: the largest that a query accepts, and the smallest normal 32-bit float. */
const MAX_WEIGHT = 64;
const MIN_WEIGHT = 1.17549435e-38;

/** Default of `prune_ratio`: entries below this share of the largest weight are dropped, as OpenSearch does for doc-v3. */
export const PRUNE_RATIO = 0.1;

export interface SparseRules {
  /** Returns the token of a vocabulary id, undefined when there is no such id. */
  token: (id: number) => string | undefined;
  /** Whether an id is one of `[PAD]`, `[UNK]`, `[CLS]`, `[SEP]`, `[MASK]`, which the reference code drops. */
  isSpecial: (id: number) => boolean;
  pruneRatio: number;
}

/** Returns the weight limited to (0, 64], or undefined if it is zero or too small to store. */
export function clampWeight(weight: number): number | undefined {
  return weight >= MIN_WEIGHT ? Math.min(weight, MAX_WEIGHT) : undefined;
}

/**
 * Converts one text's entries of `embed_sparse`, `[{index, value}]`, to vocabulary tokens with weights.
 *
 * The model was trained with the activation log1p(log1p(relu(x))); Text Embeddings Inference computes log1p(relu(x))
 * only. log1p is monotone, so it commutes with the maximum over positions and the missing one can be applied here.
 */
export function parseSparse(entries: unknown, rules: SparseRules): EmbeddingOutcome {
  if (!Array.isArray(entries)) return unusable("model gave something other than a list of tokens");
  const weights = new Map<string, number>();
  let largest = 0;
  for (const entry of entries) {
    const { index, value } = (entry ?? {}) as { index?: unknown; value?: unknown };
    // Servers that serialize NaN to JSON write null.
    if (typeof value !== "number" || !Number.isFinite(value) || value < 0) {
      return unusable("model gave a token weight that is not a positive number");
    }
    if (!fitsFloat(value)) return unusable("model gave a token weight that no 32-bit float can hold");
    const token = typeof index === "number" ? rules.token(index) : undefined;
    if (token === undefined) {
      return unusable(
        `model gave token ${String(index)}, which the vocabulary does not have: the model files are of another model`,
      );
    }
    if (rules.isSpecial(index as number)) continue;
    const weight = Math.log1p(value);
    largest = Math.max(largest, weight);
    weights.set(token, weight);
  }
  return { kind: "sparse", json: jsonOf(weights, largest * rules.pruneRatio) };
}

/** Prints the weights of at least `floor` as JSON. Building an object with so many different keys would take longer. */
function jsonOf(weights: ReadonlyMap<string, number>, floor: number): string {
  const members: string[] = [];
  for (const [token, weight] of weights) {
    const clamped = weight >= floor ? clampWeight(weight) : undefined;
    if (clamped !== undefined) members.push(`${JSON.stringify(token)}:${clamped}`);
  }
  return `{${members.join(",")}}`;
}

/**
 * The most tokens that the model reads: 512 minus `[CLS]` and `[SEP]`. Also keeps a query below the cluster's 1,024
 * clauses.
 */
const MAX_TOKENS = 510;

/** Three times the length of 510 English tokens. Limits the tokenizer's time (50 ms for one endless word). */
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
