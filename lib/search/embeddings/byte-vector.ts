/** The largest component of a byte vector. */
const LARGEST = 127;

/**
 * Returns a vector of whole numbers from -127 to 127 with nearly the direction of the given one, for fields whose vectors
 * are bytes. Each vector is scaled by its own largest component: cosine similarity does not depend on the length, and few
 * bits are lost where components are as small as those of a unit vector. A vector that is scaled already stays as it is.
 */
export function byteVector(vector: readonly number[]): number[] {
  let largest = 0;
  for (const component of vector) largest = Math.max(largest, Math.abs(component));
  const scale = largest === 0 ? 0 : LARGEST / largest;
  // No -0, which JSON cannot tell from 0.
  return vector.map((component) => Math.round(component * scale) || 0);
}

/** Returns the JSON of a byte vector for the JSON of a vector; JSON of anything else stays what it is. */
export function byteVectorJson(json: string): string {
  const vector: unknown = JSON.parse(json);
  const isVector = Array.isArray(vector) && vector.every((component) => typeof component === "number");
  return isVector ? JSON.stringify(byteVector(vector)) : json;
}
