import { type Factors, factorize, foldIn, products, type Weighted } from "./factors.ts";
import { affinities, type ItemFeatures } from "./item-features.ts";
import { itemCounts, repeatShare, type TrainingSet } from "./training-set.ts";

/** The weights of popularity and categories relative to the factorization. */
export interface Blend {
  popularity: number;
  categories: number;
}

/** The model for user recommendations and rankings: a factorization blended with popularity and categories. */
export interface TasteModel {
  factors: Factors;
  /** Popularity of each item, from 0 to 1. */
  popularity: Float64Array;
  features: ItemFeatures;
  /** Added to the score of an item that the user has seen. Negative unless users often repeat items. */
  repeatBonus: number;
  recency: boolean;
  blend: Blend;
}

export interface TasteOptions {
  rank: number;
  /** Whether a user's newer events weigh more. */
  recency: boolean;
}

/** Used until `chooseBlend` in train.ts has chosen one. */
const FIRST_BLEND: Blend = { popularity: 0.2, categories: 0.1 };
const NEWEST_BONUS = 2;
const NEWEST_DECAY = 5;

/** Trains on a training set. Takes one to two seconds for 100,000 events on a laptop. */
export async function trainTaste(set: TrainingSet, features: ItemFeatures, options: TasteOptions): Promise<TasteModel> {
  const counts = itemCounts(set);
  const most = Math.log1p(counts.reduce((a, b) => Math.max(a, b), 1));
  return {
    factors: await factorize(set, options.rank),
    popularity: counts.map((count) => Math.log1p(count) / most),
    features,
    repeatBonus: repeatBonus(repeatShare(set)),
    recency: options.recency,
    blend: FIRST_BLEND,
  };
}

/** Returns the bonus for seen items: 0 if a third or more of the events are repeats, falling to -1 if none are. */
function repeatBonus(share: number): number {
  return Math.min(0, 3 * share - 1);
}

/** Computes the parts of each item's score for a user with these events, oldest first. An unknown user has none. */
export function tasteParts(model: TasteModel, events: readonly number[]) {
  const history = weigh(events, model.recency);
  return {
    taste: products(model.factors, foldIn(model.factors, history)),
    categories: affinities(model.features, history),
    seen: new Set(events),
  };
}

/** Blends the parts into one score per item. Only the order and the differences are meaningful. */
export function blendScores(
  model: TasteModel,
  parts: ReturnType<typeof tasteParts>,
  blend = model.blend,
): Float64Array {
  const { taste, categories, seen } = parts;
  return taste.map((score, item) => {
    const popular = blend.popularity * (model.popularity[item] ?? 0);
    const familiar = seen.has(item) ? model.repeatBonus : 0;
    return score + popular + blend.categories * (categories[item] ?? 0) + familiar;
  });
}

function weigh(events: readonly number[], recency: boolean): Weighted[] {
  const weights = new Map<number, number>();
  events.forEach((item, index) => {
    const age = events.length - 1 - index;
    const weight = recency ? 1 + NEWEST_BONUS * Math.exp(-age / NEWEST_DECAY) : 1;
    weights.set(item, Math.max(weights.get(item) ?? 0, weight));
  });
  return Array.from(weights, ([item, weight]) => ({ item, weight }));
}

/** Up to this length, a short sorted list is faster than sorting all items. A training does this thousands of times. */
const SHORT_LIST = 64;

/** Returns the indexes of the `count` highest scores, best first. Ties are ordered by index. */
export function best(scores: Float64Array, count: number): number[] {
  if (count > SHORT_LIST) {
    const order = Array.from(scores.keys());
    order.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
    return order.slice(0, count);
  }
  const list: number[] = [];
  for (let item = 0; item < scores.length; item += 1) {
    const score = scores[item] ?? 0;
    if (list.length === count && score <= (scores[list[count - 1] ?? 0] ?? 0)) continue;
    let place = list.length;
    while (place > 0 && (scores[list[place - 1] ?? 0] ?? 0) < score) place -= 1;
    list.splice(place, 0, item);
    if (list.length > count) list.pop();
  }
  return list;
}
