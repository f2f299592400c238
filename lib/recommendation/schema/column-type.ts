/** The types that schema generation can infer, from narrow to wide. Each can hold the values of the types before it. */
export const COLUMN_TYPES = ["int", "long", "float", "string"] as const;

export type ColumnType = (typeof COLUMN_TYPES)[number];

const MAX_INT = 2_147_483_647n;
const MAX_LONG = 9_223_372_036_854_775_807n;

/** Allows no leading zeros: "007" is an identifier, and a number would lose its zeros. */
const WHOLE = /^-?(?:0|[1-9]\d{0,18})$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;

/** Returns the narrowest type that can hold the value as written. */
export function columnType(text: string): ColumnType {
  const first = text.charCodeAt(0);
  // A fast path: most texts start with neither a digit nor a minus sign.
  if ((first < 48 || first > 57) && first !== 45) return "string";
  if (WHOLE.test(text)) {
    // Nine digits always fit, so the common case needs no BigInt.
    if (text.length <= 9) return "int";
    const value = BigInt(text);
    if (value >= -MAX_INT - 1n && value <= MAX_INT) return "int";
    return value >= -MAX_LONG - 1n && value <= MAX_LONG ? "long" : "string";
  }
  return text.length < 40 && /[.eE]/.test(text) && NUMBER.test(text) ? "float" : "string";
}

/**
 * Returns the narrower type that can hold both. Ignores that a float's 24 bits cannot hold every whole number exactly.
 */
export function widest(a: ColumnType, b: ColumnType): ColumnType {
  return COLUMN_TYPES.indexOf(a) > COLUMN_TYPES.indexOf(b) ? a : b;
}
