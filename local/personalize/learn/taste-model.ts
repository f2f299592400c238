import { type Factors, factorize, foldIn, products, type Weighted } from "./factors.ts";
import { affinities, type ItemFeatures } from "./item-features.ts";
import { itemCounts, repeatShare, type TrainingSet } from "./training-set.ts";

/** How much popularity and categories count beside the factorization. */
export interface Blend {
  popularity: number;
  categories: number;
}

/** A recommender for users and rankings: a factorization blended with popularity and with categories. */
export interface TasteModel {
  factors: Factors;
  /** From 0 to 1, by item. */
  popularity: Float64Array;
  features: ItemFeatures;
  /** Added to the score of an item that the user has had: below 0 unless users repeat. */
  repeatBonus: number;
  recency: boolean;
  blend: Blend;
}

export interface TasteOptions {
  rank: number;
  /** Whether newer events of a user count more. */
  recency: boolean;
}

/** Before it is chosen by `chooseBlend`. */
const FIRST_BLEND: Blend = { popularity: 0.2, categories: 0.1 };
const NEWEST_BONUS = 2;
const NEWEST_DECAY = 5;

/** Learns from a training set. Takes one to two seconds for 100,000 events on a laptop. */
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

/** A share of a third or more of repeated events lets items stay where their score puts them; none at all pushes them below. */
function repeatBonus(share: number): number {
  return Math.min(0, 3 * share - 1);
}

/** The parts of every item's score for a user with these events, oldest first. An unknown user has none. */
export function tasteParts(model: TasteModel, events: readonly number[]) {
  const history = weigh(events, model.recency);
  return {
    taste: products(model.factors, foldIn(model.factors, history)),
    categories: affinities(model.features, history),
    seen: new Set(events),
  };
}

/** Blends the parts to one score an item; only the order and the differences mean anything. */
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

/** Up to here keeping a short sorted list beats sorting all items; a training does it thousands of times. */
const SHORT_LIST = 64;

/** Item numbers by falling score, the given count of them; equal scores in order of number. */
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
