import type { Interaction } from "../data/interactions.ts";

/**
 * Returns item indexes by the increase of their interactions between the last two intervals of the data, then by
 * popularity.
 */
export function risingFirst(
  interactions: readonly Interaction[],
  items: readonly string[],
  popular: readonly number[],
  seconds: number,
): number[] {
  const newest = interactions.reduce((latest, { timestamp }) => Math.max(latest, timestamp), 0);
  const numbers = new Map(items.map((id, number) => [id, number]));
  const rise = new Float64Array(items.length);
  for (const { itemId, timestamp } of interactions) {
    const age = Math.floor((newest - timestamp) / seconds);
    const item = numbers.get(itemId);
    if (item !== undefined && age < 2) rise[item] = (rise[item] ?? 0) + (age === 0 ? 1 : -1);
  }
  return popular.toSorted((a, b) => Math.max(0, rise[b] ?? 0) - Math.max(0, rise[a] ?? 0));
}
