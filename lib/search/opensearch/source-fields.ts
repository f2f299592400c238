/**
 * Returns patterns of `_source` that include fields with any name, and possibly more fields: the cluster splits a
 * pattern at commas, and does not match names with characters beyond the basic plane.
 */
export const sourcePatterns = (fields: readonly string[]): string[] =>
  fields.map((field) => field.replaceAll(/[,\u{10000}-\u{10ffff}]+/gu, "*"));
