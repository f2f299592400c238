/**
 * Returns the entry of hybrid_search.yaml for a name: the one with exactly that name, else the one with the longest
 * matching prefix, else undefined.
 */
export function findMapping<Entry extends { readonly index: string }>(
  entries: readonly Entry[],
  name: string,
): Entry | undefined {
  let best: Entry | undefined;
  for (const entry of entries) {
    if (entry.index === name) return entry;
    const fits = entry.index.endsWith("*") && name.startsWith(entry.index.slice(0, -1));
    if (fits && entry.index.length > (best?.index.length ?? 0)) best = entry;
  }
  return best;
}

/** Does the same for a name that may be date math, which is compared by its literal prefix. */
export function findNamed<Entry extends { readonly index: string }>(
  entries: readonly Entry[],
  name: string,
): Entry | undefined {
  const start = /^<([^{]*)\{/.exec(name)?.[1];
  if (start === undefined) return findMapping(entries, name);
  return findMapping(
    entries.filter(({ index }) => index.endsWith("*")),
    start,
  );
}

/** A concrete index with all names by which an entry can match it. */
export interface NamedIndex {
  name: string;
  /** Its aliases, and the data stream that it belongs to. */
  aliases: readonly string[];
  /** The entry named in the index's own `_meta`. */
  describedEntry?: string | undefined;
}

/**
 * Returns the entry of a concrete index, independent of how a request names it. The first of these decides:
 * 1. an entry named exactly like one of the `asked` names, if that is an alias, the data stream or the index's name;
 * 2. the entry that matches its own name;
 * 3. the entry in its `_meta`, which `relevance index` and rebuilds write;
 * 4. the entry that matches an `asked` alias;
 * 5. the entry that matches its other aliases, if they agree on one.
 */
export function entryOf<Entry extends { readonly index: string }>(
  entries: readonly Entry[],
  { name, aliases, describedEntry }: NamedIndex,
  asked: readonly string[] = [],
): Entry | undefined {
  const askedHere = asked.filter((one) => one === name || aliases.includes(one));
  return (
    entries.find(({ index }) => askedHere.includes(index)) ??
    findMapping(entries, name) ??
    entries.find(({ index }) => index === describedEntry) ??
    agreed(entries, askedHere) ??
    agreed(entries, aliases)
  );
}

/** Returns the entry that names match, if all that match any agree on it. */
function agreed<Entry extends { readonly index: string }>(
  entries: readonly Entry[],
  names: readonly string[],
): Entry | undefined {
  const [first, ...others] = new Set(names.flatMap((name) => findMapping(entries, name) ?? []));
  return others.length === 0 ? first : undefined;
}
