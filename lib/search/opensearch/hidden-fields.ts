import * as v from "valibot";
import { matcher } from "../../platform/wildcard.ts";

/** `_source` of a mapping: the parts of documents that the cluster stores and returns. */
export const SourceFilter = v.object({
  enabled: v.exactOptional(v.boolean()),
  includes: v.exactOptional(v.array(v.string())),
  excludes: v.exactOptional(v.array(v.string())),
});
export type SourceFilter = v.InferOutput<typeof SourceFilter>;

/**
 * Returns whether `_source` excludes a field, or a part of it, although it can be searched. A document that is read and
 * written again, as in a copy or an update, loses such a field.
 */
export function isHidden({ enabled = true, includes = [], excludes = [] }: SourceFilter, path: string): boolean {
  // A pattern that matches an object also matches its members.
  const around = path.split(".").map((_, at, names) => names.slice(0, at + 1).join("."));
  const isMatched = (pattern: string) => around.some(matcher(pattern));
  if (!enabled || (includes.length > 0 && !includes.some(isMatched))) return true;
  return excludes.some((pattern) => isMatched(pattern) || pattern.startsWith(`${path}.`));
}

/**
 * Returns a sentence about the first of several indexes whose `_source` excludes one of these fields; undefined if none
 * does.
 */
export function hidingOf(
  indexes: ReadonlyArray<{ name: string; source?: SourceFilter }>,
  paths: readonly string[],
): string | undefined {
  for (const { name, source } of indexes) {
    const hidden = source && paths.find((path) => isHidden(source, path));
    if (hidden !== undefined) return `the documents of ${name} do not show ${hidden} (\`_source\` of the mapping)`;
  }
  return undefined;
}

/** Returns the fields of a mapping that `_source` excludes. */
export const hiddenFields = (filter: SourceFilter, fields: ReadonlyMap<string, { type: string }>): string[] =>
  [...fields].flatMap(([name, { type }]) => (type !== "alias" && isHidden(filter, name) ? [name] : []));

/** Returns whether a field, or one of its subfields, is among others. */
export const isAmong = (fields: readonly string[], field: string): boolean =>
  fields.some((one) => one === field || one.startsWith(`${field}.`));
