/**
 * Returns the entry of hybrid_search.yaml for an index: the one with exactly that name, else the one with the longest
 * matching prefix, else undefined. Bundled into the gateway, so it imports nothing.
 */
export function findMapping<Entry extends { readonly index: string }>(
  entries: readonly Entry[],
  index: string,
): Entry | undefined {
  let best: Entry | undefined;
  for (const entry of entries) {
    if (entry.index === index) return entry;
    const fits = entry.index.endsWith("*") && index.startsWith(entry.index.slice(0, -1));
    if (fits && entry.index.length > (best?.index.length ?? 0)) best = entry;
  }
  return best;
}
