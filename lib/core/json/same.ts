import { isObject } from "./values.ts";
/** A JSON value whose integers beyond 2^53 are bigint, so that different ones stay different. */
export type ExactJson = string | number | bigint | boolean | null | ExactJson[] | { [key: string]: ExactJson };

/** Parses JSON without rounding large integers. */
export function parseExact(text: string): ExactJson {
  return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    const source = context?.source ?? "";
    return /^-?\d+$/.test(source) ? BigInt(source) : value;
  }) as ExactJson;
}

/**
 * Returns whether two values are the same document. Compares fractions as 32-bit floats: a cluster that derives vectors
 * from its index (OpenSearch 3.x) returns them in that precision.
 */
export function sameJson(a: ExactJson, b: ExactJson): boolean {
  if (a === b) return true;
  if (typeof a === "number" && typeof b === "number") return sameFraction(a, b);
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((x, i) => sameJson(x, b[i] as ExactJson))
    );
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] as ExactJson, b[key] as ExactJson))
  );
}

/** Returns whether merging `part` into `whole`, as the cluster does on an update, changes nothing. */
export function containsJson(whole: ExactJson, part: ExactJson): boolean {
  if (!isObject(whole) || !isObject(part)) return sameJson(whole, part);
  return Object.entries(part).every(
    ([key, value]) => Object.hasOwn(whole, key) && containsJson(whole[key] as ExactJson, value),
  );
}

function sameFraction(a: number, b: number): boolean {
  return !Number.isInteger(a) && !Number.isInteger(b) && Math.fround(a) === Math.fround(b);
}
