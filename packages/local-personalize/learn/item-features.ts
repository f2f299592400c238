import type { FilterRecord } from "@relevance/lib/personalize/filters/evaluate.ts";

/** The feature indexes of each item, and the weight of each feature. Rare features weigh more. */
interface Features {
  ofItem: readonly (readonly number[])[];
  weights: Float64Array;
}

/** The categories of items, and the words of their texts, if a column has texts. */
export interface ItemFeatures extends Features {
  words?: Features & {
    /** Column and word of each feature, for whoever looks into a trained model. */
    names: readonly string[];
  };
}

/** The columns of Items to learn from. */
export interface FeatureColumns {
  categorical: readonly string[];
  textual: readonly string[];
}

/** The weight of words relative to categories. Many words say nothing about an item. */
const WORDS_WEIGHT = 0.2;

/** Reads the features of items from their records: categories, of which `|` separates several in one value, and words. */
export function itemFeatures(
  items: readonly string[],
  records: ReadonlyMap<string, FilterRecord>,
  { categorical, textual }: FeatureColumns,
): ItemFeatures {
  const { ofItem, weights } = read(items, records, categorical, (text) => text.split("|"));
  return { ofItem, weights, ...(textual.length > 0 && { words: read(items, records, textual, wordsOf) }) };
}

/** Splits a text as BERT's basic tokenizer does: each mark is a word too. */
const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+|\S/gu) ?? [];

function read(
  items: readonly string[],
  records: ReadonlyMap<string, FilterRecord>,
  columns: readonly string[],
  split: (text: string) => readonly string[],
): NonNullable<ItemFeatures["words"]> {
  const numbers = new Map<string, number>();
  const counts: number[] = [];
  const ofItem = items.map((itemId) => {
    const record = records.get(itemId);
    const own = new Set<number>();
    for (const column of columns) {
      const value = record?.[column];
      if (typeof value !== "string" || value === "") continue;
      for (const feature of split(value)) {
        const name = `${column}=${feature}`;
        const number = numbers.get(name) ?? numbers.size;
        numbers.set(name, number);
        own.add(number);
      }
    }
    for (const number of own) counts[number] = (counts[number] ?? 0) + 1;
    return [...own];
  });
  const weights = Float64Array.from(counts, (count) => Math.log(1 + items.length / count));
  return { ofItem, weights, names: [...numbers.keys()] };
}

/** A user's items by index, and how much each counts. */
type History = readonly { item: number; weight: number }[];

/** Returns how well each item matches a history: categories from 0 to 1, and words from 0 to their weight. */
export function affinities({ words, ...categories }: ItemFeatures, history: History): Float64Array {
  const scores = matches(categories, history);
  if (!words) return scores;
  const byWords = matches(words, history);
  return scores.map((score, item) => score + WORDS_WEIGHT * (byWords[item] ?? 0));
}

function matches({ ofItem, weights }: Features, history: History): Float64Array {
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
