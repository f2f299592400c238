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

/** A field of a mapping, or the mapping itself. */
export interface MappedField {
  type?: string;
  /** The field that an alias stands for. */
  path?: string;
  copy_to?: string | string[];
  /** Other forms in which the cluster indexes the field. */
  fields?: Readonly<Record<string, unknown>>;
  properties?: Readonly<Record<string, MappedField>>;
}

/**
 * Returns the fields that can be searched although documents do not hold them, each with a sentence that says why, and
 * names the field to use instead. A target of `copy_to` may be in some documents as well.
 */
export function unheldFields(mapping: MappedField): ReadonlyMap<string, string> {
  const unheld = new Map<string, string>();
  const copied = new Map<string, string[]>();
  const add = (path: string, why: string, instead: string) => unheld.set(path, `${why}: name ${instead} instead`);
  const walk = ({ properties = {} }: MappedField, prefix: string): void => {
    for (const [name, field] of Object.entries(properties)) {
      const path = prefix + name;
      if (field.type === "alias" && field.path !== undefined)
        add(path, `no document holds ${path}, which is an alias`, field.path);
      for (const form of Object.keys(field.fields ?? {}))
        add(`${path}.${form}`, `no document holds ${path}.${form}, which is a form of ${path}`, path);
      for (const target of [field.copy_to ?? []].flat()) copied.set(target, [...(copied.get(target) ?? []), path]);
      walk(field, `${path}.`);
    }
  };
  walk(mapping, "");
  for (const [target, sources] of copied)
    add(target, `documents may lack ${target}, which the mapping fills by copy_to`, sources.join(", "));
  return unheld;
}
