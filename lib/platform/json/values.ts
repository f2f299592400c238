/** Returns whether a value is a JSON object: neither an array nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON. Returns undefined for text that is not JSON. */
export function parseJson(text: string | Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}

/** Returns the value of a document at a dotted path: under the whole path as one key, else in the objects along it. */
export function valueAt(document: Record<string, unknown> | undefined, path: string): unknown {
  if (document?.[path] !== undefined) return document[path];
  return path.split(".").reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), document);
}

/** A number kept as its source text, since a float would change it (`JSON.rawJSON`). */
export interface RawNumber {
  readonly rawJSON: string;
}

/** TC39's JSON.parse source text access, which Node 22 has and TypeScript's library types lack. */
interface SourceTextJson {
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}

const json = JSON as unknown as SourceTextJson;

/**
 * Parses JSON so that `JSON.stringify` prints every number as it was written: 64-bit integers, and `1.0`, which would
 * otherwise become `1`.
 */
export function parseLossless(text: string): unknown {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  );
}

export const isRawNumber = (value: unknown): value is RawNumber => json.isRawJSON(value);

/** Returns a number that prints as the given JSON text, such as `1.0`. */
export const rawNumber = (text: string): RawNumber => json.rawJSON(text);

/** Returns the number that a value of {@link parseLossless} or a text stands for; NaN for any other value. */
export function numberOf(value: unknown): number {
  if (isRawNumber(value)) return Number(value.rawJSON);
  return typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;
}

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

// The characters of JSON syntax, as ASCII codes.
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
