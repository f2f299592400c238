import { EmbeddingError, type EmbeddingOutcome, type SparseVector } from "./embedder.ts";

/** Lucene's bounds of a feature's weight: the largest a query takes, and the smallest normal 32-bit float. */
export const MAX_WEIGHT = 64;
const MIN_WEIGHT = 1.17549435e-38;

/** Entries below this part of the largest weight are dropped, as OpenSearch does for its own doc-v3 models. */
export const PRUNE_RATIO = 0.1;

export interface SparseRules {
  /** Vocabulary: the token of an id, undefined when the id is outside. */
  token: (id: number) => string | undefined;
  /** `[PAD]`, `[UNK]`, `[CLS]`, `[SEP]`, `[MASK]`: the reference code drops them. */
  isSpecial: (id: number) => boolean;
  pruneRatio: number;
}

/** The weight inside (0, 64], undefined when it is zero or too small to be stored. */
export function clampWeight(weight: number): number | undefined {
  return weight >= MIN_WEIGHT ? Math.min(weight, MAX_WEIGHT) : undefined;
}

/**
 * One text's entries of `embed_sparse`, `[{index, value}]`, as vocabulary tokens with weights.
 *
 * The model was trained with the activation log1p(log1p(relu(x))); Text Embeddings Inference computes log1p(relu(x))
 * only. log1p is monotone, so it commutes with the maximum over positions and the missing one can be applied here.
 */
export function parseSparse(entries: unknown, rules: SparseRules): EmbeddingOutcome {
  if (!Array.isArray(entries)) return wrong("model gave something else than a list of tokens");
  const weights: [token: string, weight: number][] = [];
  let largest = 0;
  for (const entry of entries) {
    const { index, value } = (entry ?? {}) as { index?: unknown; value?: unknown };
    // A server that serializes NaN to JSON writes null.
    if (typeof value !== "number" || !Number.isFinite(value) || value < 0) {
      return wrong("model gave a token weight that is not a positive number");
    }
    const token = typeof index === "number" ? rules.token(index) : undefined;
    if (token === undefined) {
      return wrong(
        `model gave token ${String(index)}, which the vocabulary does not have: the model files are of another model`,
      );
    }
    if (rules.isSpecial(index as number)) continue;
    const weight = Math.log1p(value);
    largest = Math.max(largest, weight);
    weights.push([token, weight]);
  }
  return { kind: "sparse", tokens: pruned(weights, largest * rules.pruneRatio) };
}

function pruned(weights: readonly [string, number][], floor: number): SparseVector {
  const kept: [string, number][] = [];
  for (const [token, weight] of weights) {
    const clamped = weight >= floor ? clampWeight(weight) : undefined;
    if (clamped !== undefined) kept.push([token, clamped]);
  }
  // Not assigned one by one: "__proto__" would set the prototype and be lost.
  return Object.fromEntries(kept);
}

const wrong = (message: string): EmbeddingOutcome => ({
  kind: "error",
  error: new EmbeddingError(message, { retryable: false }),
});
