/** The last items of a user that the engine recommends from: one call reads the neighbours of all. */
export const SEEDS = 50;

/** The neighbours of one item, best first. */
export interface Neighbours<Item> {
  items: readonly Item[];
  scores: readonly number[];
}

/**
 * Returns the items that several items have as neighbours, best first, without `seen`: the sum of the similarities (Deshpande
 * and Karypis 2004). Of equal sums the one that is found first comes first.
 */
export function suggest<Item>(neighbours: readonly Neighbours<Item>[], seen: ReadonlySet<Item>): Item[] {
  const sums = new Map<Item, number>();
  for (const { items, scores } of neighbours) {
    for (const [at, item] of items.entries()) {
      if (!seen.has(item)) sums.set(item, (sums.get(item) ?? 0) + (scores[at] ?? 0));
    }
  }
  return [...sums].sort(([, a], [, b]) => b - a).map(([item]) => item);
}
