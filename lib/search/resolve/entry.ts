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

/** Returns what {@link findMapping} does, for a name that may be date math: that fits the prefixes of its beginning. */
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

/** A concrete index with everything that can tie it to an entry. */
export interface NamedIndex {
  name: string;
  /** Its aliases, and the data stream that it belongs to. */
  aliases: readonly string[];
  /** The entry that its own description names. */
  describedEntry?: string | undefined;
}

/**
 * Returns the entry of a concrete index, however it is named in a request. The first of these decides:
 * 1. an entry of exactly one of the `asked` names, if that is an alias, the data stream or the name of this index;
 * 2. the entry that fits its own name;
 * 3. the entry that its description names, which `relevance index` and rebuilds write;
 * 4. the entry that fits an asked alias;
 * 5. the entry that fits its other aliases, if they agree on one.
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

/** Returns the entry that names fit, if it is the same one for all that fit any. */
function agreed<Entry extends { readonly index: string }>(
  entries: readonly Entry[],
  names: readonly string[],
): Entry | undefined {
  const [first, ...others] = new Set(names.flatMap((name) => findMapping(entries, name) ?? []));
  return others.length === 0 ? first : undefined;
}
