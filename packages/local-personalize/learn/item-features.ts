import type { FilterRecord } from "@relevance/lib/personalize/filters/evaluate.ts";

/** The features of items: categories, and the words of texts. */
export interface ItemFeatures {
  /** The features of each item, by their numbers. */
  ofItem: readonly (readonly number[])[];
  /** The weight of each feature. Rare features weigh more. */
  weights: Float64Array;
  /** Column and value of each feature, for people who inspect a trained model. */
  names: readonly string[];
}

/** The columns of Items to learn from. */
export interface FeatureColumns {
  categorical: readonly string[];
  textual: readonly string[];
}

/** The weight of words relative to categories: most words say little about an item. */
const WORDS_WEIGHT = 0.2;

/** Splits a text as BERT's basic tokenizer does: each mark is a word too. */
const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+|\S/gu) ?? [];

/**
 * Extracts the features of items from their records: words, and categories, which may be several per value, separated
 * by `|`.
 */
export function itemFeatures(
  items: readonly string[],
  records: ReadonlyMap<string, FilterRecord>,
  { categorical, textual }: FeatureColumns,
): ItemFeatures {
  const features = new Map<string, { number: number; items: number; weight: number }>();
  const columns = [
    ...categorical.map((column) => ({ column, split: (text: string) => text.split("|"), weight: 1 })),
    ...textual.map((column) => ({ column, split: wordsOf, weight: WORDS_WEIGHT })),
  ];
  const ofItem = items.map((itemId) => {
    const own = new Set<number>();
    for (const { column, split, weight } of columns) {
      const value = records.get(itemId)?.[column];
      for (const text of typeof value === "string" && value !== "" ? split(value) : []) {
        const name = `${column}=${text}`;
        const feature = features.get(name) ?? { number: features.size, items: 0, weight };
        features.set(name, feature);
        if (!own.has(feature.number)) feature.items += 1;
        own.add(feature.number);
      }
    }
    return [...own];
  });
  const weights = Array.from(features.values(), (one) => one.weight * Math.log(1 + items.length / one.items));
  return { ofItem, weights: Float64Array.from(weights), names: [...features.keys()] };
}

/** Returns how well each item matches a history, from 0 to 1: the cosine of their features, relative to the best item. */
export function affinities(
  { ofItem, weights }: ItemFeatures,
  history: readonly { item: number; weight: number }[],
): Float64Array {
  const profile = new Float64Array(weights.length);
  for (const { item, weight } of history) {
    for (const feature of ofItem[item] ?? [])
      profile[feature] = (profile[feature] ?? 0) + weight * (weights[feature] ?? 0);
  }
  const scores = Float64Array.from(ofItem, (features) => {
    const sum = (valueOn: (feature: number) => number) => features.reduce((all, one) => all + valueOn(one), 0);
    const length = Math.sqrt(sum((feature) => (weights[feature] ?? 0) ** 2));
    return length === 0 ? 0 : sum((feature) => (weights[feature] ?? 0) * (profile[feature] ?? 0)) / length;
  });
  return toOne(scores);
}

/** Divides scores by the highest one. */
export function toOne(scores: Float64Array): Float64Array {
  const highest = scores.reduce((a, b) => Math.max(a, b), 0);
  return highest === 0 ? scores : scores.map((score) => score / highest);
}
