/** The most items to recommend from, latest first. One call reads the neighbours of all. */
export const SEEDS = 50;

/** The neighbours of one item, best first. */
export interface Neighbours<Item> {
  items: readonly Item[];
  scores: readonly number[];
}

/**
 * Returns the items with the greatest sum of similarities over several neighbour lists, best first, without `seen`
 * (Deshpande and Karypis 2004). On equal sums, the item found first comes first.
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

/**
 * Yields the engine's list: the result of {@link suggest}, then popular items. Each item comes once, and none that is
 * in `seen`.
 */
export function* listOf<Item>(
  suggested: readonly Item[],
  popular: readonly Item[],
  seen: ReadonlySet<Item>,
): Generator<Item> {
  yield* suggested;
  const listed = new Set(suggested);
  for (const item of popular) if (!listed.has(item) && !seen.has(item)) yield item;
}
