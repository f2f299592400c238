/** The largest component of a byte vector. */
const LARGEST = 127;

/**
 * Returns a vector of whole numbers from -127 to 127 with nearly the same direction, for fields that store bytes. Each
 * vector is scaled by its own largest component: cosine similarity does not depend on length, and small components, as
 * in unit vectors, keep more precision. A vector that is already scaled stays unchanged.
 */
export function byteVector(vector: readonly number[]): number[] {
  let largest = 0;
  for (const component of vector) largest = Math.max(largest, Math.abs(component));
  const scale = largest === 0 ? 0 : LARGEST / largest;
  // Avoids -0, which JSON cannot distinguish from 0.
  return vector.map((component) => Math.round(component * scale) || 0);
}

/** Converts the JSON of a vector to that of a byte vector. Returns any other JSON unchanged. */
export function byteVectorJson(json: string): string {
  const vector: unknown = JSON.parse(json);
  const isVector = Array.isArray(vector) && vector.every((component) => typeof component === "number");
  return isVector ? JSON.stringify(byteVector(vector)) : json;
}
