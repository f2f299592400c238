import { coOccurrence } from "@relevance/lib/recommendation/built-in/co-occurrence.ts";
import { columnsOf } from "@relevance/lib/recommendation/built-in/matrix.ts";
import { affinities, type ItemFeatures, toOne } from "./item-features.ts";
import { pacer } from "./pace.ts";
import { itemCounts, matrixOf, repeatShare, type TrainingSet } from "./training-set.ts";

/** The model for user recommendations and rankings: the built-in engine, blended with popularity and item features. */
export interface TasteModel {
  /** The neighbours of each item, with their similarities. */
  neighbours: readonly { items: Int32Array; scores: Float32Array }[];
  /** Popularity of each item, from 0 to 1. */
  popularity: Float64Array;
  features: ItemFeatures;
  /** Added to the score of an item that the user has seen: from -1, if users never repeat items, to 1. */
  repeatBonus: number;
  /** Whether a user's newer events weigh more. */
  recency: boolean;
}

/** Neighbours to keep per item: more than the product stores, so that long histories rank most of the catalogue. */
const NEIGHBOURS = 200;
const NEWEST_BONUS = 2;
const NEWEST_DECAY = 5;
/** Weights relative to the built-in engine. */
const POPULARITY = 0.1;
const FEATURES = 0.1;

/** Trains on a training set. Yields regularly to other work of the process. */
export async function trainTaste(set: TrainingSet, features: ItemFeatures, recency: boolean): Promise<TasteModel> {
  const matrix = matrixOf(set);
  const neighboursOf = coOccurrence(matrix, columnsOf(matrix));
  const pace = pacer();
  const neighbours: TasteModel["neighbours"][number][] = [];
  for (const item of set.items.keys()) {
    const found = neighboursOf(item, NEIGHBOURS);
    neighbours.push({
      items: Int32Array.from(found, (one) => one.item),
      scores: Float32Array.from(found, ({ score }) => score),
    });
    const pause = pace();
    if (pause) await pause;
  }
  const popularity = toOne(itemCounts(set).map((count) => Math.log1p(count)));
  const repeatBonus = Math.min(1, 3 * repeatShare(set) - 1);
  return { neighbours, popularity, features, repeatBonus, recency };
}

/** Returns the score of each item for a user with these events, oldest first. Only order and differences are meaningful. */
export function tasteScores(model: TasteModel, events: readonly number[]): Float64Array {
  const history = weigh(events, model.recency);
  const near = new Float64Array(model.popularity.length);
  for (const { item, weight } of history) {
    const { items = [], scores = [] } = model.neighbours[item] ?? {};
    for (const [place, other] of items.entries()) near[other] = (near[other] ?? 0) + weight * (scores[place] ?? 0);
  }
  const alike = affinities(model.features, history);
  const seen = new Set(events);
  return toOne(near).map((score, item) => {
    const familiar = seen.has(item) ? model.repeatBonus : 0;
    return score + POPULARITY * (model.popularity[item] ?? 0) + FEATURES * (alike[item] ?? 0) + familiar;
  });
}

function weigh(events: readonly number[], recency: boolean): { item: number; weight: number }[] {
  const weights = new Map<number, number>();
  events.forEach((item, index) => {
    const age = events.length - 1 - index;
    const weight = recency ? 1 + NEWEST_BONUS * Math.exp(-age / NEWEST_DECAY) : 1;
    weights.set(item, Math.max(weights.get(item) ?? 0, weight));
  });
  return Array.from(weights, ([item, weight]) => ({ item, weight }));
}

/** Returns the indexes of the `count` highest scores, best first. Ties are ordered by index. */
export function best(scores: Float64Array, count: number): number[] {
  return Array.from(scores.keys())
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
    .slice(0, count);
}
