import * as v from "valibot";
import { matcher } from "../../platform/wildcard.ts";

/** `_source` of a mapping: which parts of documents the cluster stores and shows. */
export const SourceFilter = v.object({
  enabled: v.exactOptional(v.boolean()),
  includes: v.exactOptional(v.array(v.string())),
  excludes: v.exactOptional(v.array(v.string())),
});
export type SourceFilter = v.InferOutput<typeof SourceFilter>;

/**
 * Returns whether documents do not show a field, or a part of it, although it can be searched. Whatever reads a document to
 * write it again, as a copy or an update does, loses such a field.
 */
export function isHidden({ enabled = true, includes = [], excludes = [] }: SourceFilter, path: string): boolean {
  // A pattern for an object is also one for what is inside.
  const around = path.split(".").map((_, at, names) => names.slice(0, at + 1).join("."));
  const isMatched = (pattern: string) => around.some(matcher(pattern));
  if (!enabled || (includes.length > 0 && !includes.some(isMatched))) return true;
  return excludes.some((pattern) => isMatched(pattern) || pattern.startsWith(`${path}.`));
}

/** Returns the sentence that an index among several does not show one of these fields; undefined if all show them. */
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

/** Returns those fields of a mapping that documents do not show. */
export const hiddenFields = (filter: SourceFilter, fields: ReadonlyMap<string, { type: string }>): string[] =>
  [...fields].flatMap(([name, { type }]) => (type !== "alias" && isHidden(filter, name) ? [name] : []));

/** Returns whether a field, or one inside, is among others. */
export const isAmong = (fields: readonly string[], field: string): boolean =>
  fields.some((one) => one === field || one.startsWith(`${field}.`));
