/** The types that schema generation tells apart, from narrow to wide: each holds all values of those before it. */
export const COLUMN_TYPES = ["int", "long", "float", "string"] as const;

export type ColumnType = (typeof COLUMN_TYPES)[number];

const MAX_INT = 2_147_483_647n;
const MAX_LONG = 9_223_372_036_854_775_807n;

/** No leading zeros: "007" is a name, and would not survive as a number. */
const WHOLE = /^-?(?:0|[1-9]\d{0,18})$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;

/** The narrowest type that holds the value as it is written. */
export function columnType(text: string): ColumnType {
  const first = text.charCodeAt(0);
  // Most texts begin with neither a digit nor a minus sign.
  if ((first < 48 || first > 57) && first !== 45) return "string";
  if (WHOLE.test(text)) {
    // Nine digits always fit: no BigInt for the common case.
    if (text.length <= 9) return "int";
    const value = BigInt(text);
    if (value >= -MAX_INT - 1n && value <= MAX_INT) return "int";
    return value >= -MAX_LONG - 1n && value <= MAX_LONG ? "long" : "string";
  }
  return text.length < 40 && /[.eE]/.test(text) && NUMBER.test(text) ? "float" : "string";
}

/** The narrowest type that holds the values of both. Whole numbers too long for a float's 24 bits make no difference. */
export function widest(a: ColumnType, b: ColumnType): ColumnType {
  return COLUMN_TYPES.indexOf(a) > COLUMN_TYPES.indexOf(b) ? a : b;
}
