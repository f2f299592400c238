import { isObject } from "../platform/json/values.ts";
import { matcher } from "../platform/wildcard.ts";

const texts = (value: unknown): string[] =>
  [value].flat().flatMap((one) => {
    const name = isObject(one) ? one.field : one;
    return typeof name === "string" ? [name] : [];
  });

/** Returns whether a pattern of `_source` or `fields` stands for a field, or for an object around it. */
const isFor = (pattern: string, field: string): boolean => matcher(pattern)(field) || matcher(`${pattern}.*`)(field);

/** Returns whether the hits of a native search show a field. */
export function showsField(native: Readonly<Record<string, unknown>>, field: string): boolean {
  const { _source: source = true, fields, docvalue_fields, stored_fields } = native;
  const isAmong = (list: unknown) => texts(list).some((pattern) => isFor(pattern, field));
  if (isAmong(fields) || isAmong(docvalue_fields) || isAmong(stored_fields)) return true;
  if (typeof source === "boolean") return source;
  if (!isObject(source)) return isAmong(source);
  const included = source.includes ?? source.include ?? "*";
  return isAmong(included) && !isAmong(source.excludes ?? source.exclude ?? []);
}
