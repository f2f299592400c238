import { type DenseVector, EmbeddingError, type EmbeddingOutcome } from "./embedder.ts";
import { fitsFloat } from "./float.ts";

/** How far a length may differ from 1 before the vector is scaled. Rounding of 32-bit floats stays far below. */
const LENGTH_TOLERANCE = 1e-3;

/**
 * Checks one vector of an answer and scales it to unit length. It must have the right dimension, finite numbers, and a
 * length within the range of 32-bit floats, because models and cluster compute in 32 bits. A cosine index does not accept
 * the zero vector. Not a schema: those are too slow for 32 x 1,024 numbers a call.
 */
export function checkDenseVector(value: unknown, dimension: number): EmbeddingOutcome {
  if (!Array.isArray(value)) return wrong("model gave something else than a vector");
  if (value.length !== dimension) {
    return wrong(`model gave a vector of ${value.length} dimensions, ${dimension} are configured`);
  }
  let squares = 0;
  for (const component of value) {
    // Servers that serialize NaN to JSON write null.
    if (typeof component !== "number") return wrong("model gave a vector with a component that is not a number");
    squares += component * component;
  }
  const length = Math.sqrt(squares);
  if (!Number.isFinite(length)) return wrong("model gave a vector with a component that is not finite");
  if (length === 0) return wrong("model gave a zero vector");
  if (!fitsFloat(length)) {
    return wrong(`model gave a vector of length ${length.toExponential(0)}, which no 32-bit float can hold`);
  }
  const vector: DenseVector = value;
  const unit = Math.abs(length - 1) <= LENGTH_TOLERANCE ? vector : vector.map((component) => component / length);
  return { kind: "dense", vector: unit };
}

const wrong = (message: string): EmbeddingOutcome => ({
  kind: "error",
  error: new EmbeddingError(message, { retryable: false }),
});
