/**
 * Returns patterns of `_source` that include fields, whatever their names, and maybe more fields: the cluster splits a
 * pattern at commas, and finds no name with a character beyond the basic plane.
 */
export const sourcePatterns = (fields: readonly string[]): string[] =>
  fields.map((field) => field.replaceAll(/[,\u{10000}-\u{10ffff}]+/gu, "*"));
