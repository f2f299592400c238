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
