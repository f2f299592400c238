import type { FilterRecord } from "../../../lib/personalize/filters/evaluate.ts";

/** The category indexes of each item, and the weight of each category. Rare categories weigh more. */
export interface ItemFeatures {
  ofItem: readonly (readonly number[])[];
  weights: Float64Array;
}

/** Reads the categories of items from these columns of their records. `|` separates several in one value. */
export function itemFeatures(
  items: readonly string[],
  records: ReadonlyMap<string, FilterRecord>,
  columns: readonly string[],
): ItemFeatures {
  const numbers = new Map<string, number>();
  const counts: number[] = [];
  const ofItem = items.map((itemId) => {
    const record = records.get(itemId);
    const own = new Set<number>();
    for (const column of columns) {
      const value = record?.[column];
      if (typeof value !== "string" || value === "") continue;
      for (const category of value.split("|")) {
        const name = `${column}=${category}`;
        const number = numbers.get(name) ?? numbers.size;
        numbers.set(name, number);
        own.add(number);
      }
    }
    for (const number of own) counts[number] = (counts[number] ?? 0) + 1;
    return [...own];
  });
  const weights = Float64Array.from(counts, (count) => Math.log(1 + items.length / count));
  return { ofItem, weights };
}

/** Returns how well the categories of each item match a history, from 0 to 1. */
export function affinities(
  { ofItem, weights }: ItemFeatures,
  history: readonly { item: number; weight: number }[],
): Float64Array {
  const profile = new Float64Array(weights.length);
  for (const { item, weight } of history) {
    for (const feature of ofItem[item] ?? [])
      profile[feature] = (profile[feature] ?? 0) + weight * (weights[feature] ?? 0);
  }
  const scores = new Float64Array(ofItem.length);
  let largest = 0;
  ofItem.forEach((features, item) => {
    let sum = 0;
    for (const feature of features) sum += profile[feature] ?? 0;
    const score = features.length === 0 ? 0 : sum / features.length;
    scores[item] = score;
    largest = Math.max(largest, score);
  });
  return largest === 0 ? scores : scores.map((score) => score / largest);
}
