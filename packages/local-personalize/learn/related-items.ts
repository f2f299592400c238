import { coOccurrence } from "@relevance/lib/recommendation/built-in/co-occurrence.ts";
import { columnsOf, itemsOf, usersOf } from "@relevance/lib/recommendation/built-in/matrix.ts";
import { affinities, type ItemFeatures } from "./item-features.ts";
import { pacer } from "./pace.ts";
import { matrixOf, type TrainingSet } from "./training-set.ts";

/** The parameters of aws-sims. */
export interface SimsOptions {
  /** Exponent of both items' popularity, by which the count of common users is divided. 0 means no discount. */
  popularityDiscount: number;
  /** Pairs with fewer common users are ignored. */
  leastTogether: number;
}

/** The most results that a request to the runtime can ask for. */
const MOST_RELATED = 500;
const FEATURE_WEIGHT = 0.3;

/**
 * Returns the related items of each item, best first. With features, combines those of the built-in engine with items
 * of similar features, including items without interactions. Yields regularly to other work of the process.
 */
export async function relatedItems(set: TrainingSet, options: SimsOptions | ItemFeatures): Promise<Int32Array[]> {
  const matrix = matrixOf(set);
  const columns = columnsOf(matrix);
  const near = coOccurrence(matrix, columns);
  const bySims = (item: number, { popularityDiscount, leastTogether }: SimsOptions) => {
    const together = new Map<number, number>();
    for (const user of columns.userOf.subarray(columns.startOfItem[item], columns.startOfItem[item + 1])) {
      for (const other of itemsOf(matrix, user)) together.set(other, (together.get(other) ?? 0) + 1);
    }
    const discount = (other: number) => Math.max(usersOf(columns, other), 1) ** popularityDiscount;
    const pairs = [...together].filter(([, users]) => users >= leastTogether);
    return new Map(pairs.map(([other, users]) => [other, users / (discount(item) * discount(other))]));
  };
  const byFeatures = (item: number, features: ItemFeatures) => {
    const scores = new Map(near(item, set.items.length).map((one) => [one.item, one.score]));
    for (const [other, score] of affinities(features, [{ item, weight: 1 }]).entries()) {
      if (score > 0) scores.set(other, (scores.get(other) ?? 0) + FEATURE_WEIGHT * score);
    }
    return scores;
  };
  const pace = pacer();
  const related: Int32Array[] = [];
  for (const item of set.items.keys()) {
    const scores = "ofItem" in options ? byFeatures(item, options) : bySims(item, options);
    scores.delete(item);
    const order = [...scores].sort(
      ([a, scoreA], [b, scoreB]) => scoreB - scoreA || usersOf(columns, b) - usersOf(columns, a) || a - b,
    );
    related.push(Int32Array.from(order.slice(0, MOST_RELATED), ([other]) => other));
    const pause = pace();
    if (pause) await pause;
  }
  return related;
}
