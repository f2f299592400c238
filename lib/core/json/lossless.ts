/** A number kept as its source text, since a float would change it (`JSON.rawJSON`). */
export interface RawNumber {
  readonly rawJSON: string;
}

/** Of TC39's JSON.parse source text access, in Node 22; not yet in TypeScript's library types. */
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
 * Parses JSON so that `JSON.stringify` gives every number back as it was written: 64-bit integers, and `1.0`, which
 * would come back as `1`.
 */
export function parseLossless(text: string): unknown {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  );
}

export const isRawNumber = (value: unknown): value is RawNumber => json.isRawJSON(value);

/** A number that prints as the given JSON text, `1.0` for example. */
export const rawNumber = (text: string): RawNumber => json.rawJSON(text);
