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
