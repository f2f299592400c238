import { tasteScores } from "./taste-model.ts";
import type { Model } from "./train.ts";
import { eventsOf } from "./training-set.ts";

/** An item of a response. Related and popular items have no score, as in the service. */
export interface Scored {
  itemId: string;
  score?: number;
}

/** A model with the index of each user and item, computed once per model. */
export interface ModelIndex {
  model: Model;
  users: ReadonlyMap<string, number>;
  items: ReadonlyMap<string, number>;
}

/** Prepares a model for serving. */
export function indexModel(model: Model): ModelIndex {
  return {
    model,
    users: new Map(model.set.users.map((id, number) => [id, number])),
    items: new Map(model.set.items.map((id, number) => [id, number])),
  };
}

/**
 * Returns all items that the model knows, best for the user first. Scores add up to 1. `newer` holds the items of
 * events that arrived after training, oldest first. A user without events gets the most popular items first.
 */
export function forUser(index: ModelIndex, userId: string, newer: readonly string[]): Scored[] {
  const { model } = index;
  if (model.learned.learner !== "taste") return model.popular.map((item) => ({ itemId: model.set.items[item] ?? "" }));
  const scores = scoresFor(index, userId, newer) ?? popularityScores(model);
  const shares = softmax(scores);
  return Array.from(scores.keys())
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
    .map((item) => ({ itemId: model.set.items[item] ?? "", score: shares[item] ?? 0 }));
}

/** Ranks the given items for a user. Items that the model does not know come last, without a score. */
export function rankFor(
  index: ModelIndex,
  userId: string,
  newer: readonly string[],
  itemIds: readonly string[],
): Scored[] {
  const known = itemIds.filter((id) => index.items.has(id));
  const unknown = itemIds.filter((id) => !index.items.has(id));
  const scores = scoresFor(index, userId, newer) ?? popularityScores(index.model);
  const own = Float64Array.from(known, (id) => scores[index.items.get(id) ?? 0] ?? 0);
  const shares = softmax(own);
  const ranked = known
    .map((itemId, place) => ({ itemId, score: shares[place] ?? 0 }))
    .sort((a, b) => b.score - a.score);
  return [...ranked, ...unknown.map((itemId) => ({ itemId }))];
}

/** Returns the items related to an item, best first, then popular items. An unknown item gets popular items only. */
export function relatedTo({ model, items }: ModelIndex, itemId: string): Scored[] {
  const item = items.get(itemId);
  const { learned } = model;
  const related = learned.learner === "co-occurrence" && item !== undefined ? learned.related[item] : [];
  const order = new Set([...(related ?? []), ...model.popular]);
  if (item !== undefined) order.delete(item);
  return Array.from(order, (number) => ({ itemId: model.set.items[number] ?? "" }));
}

function scoresFor({ model, users, items }: ModelIndex, userId: string, newer: readonly string[]) {
  const { learned, set } = model;
  if (learned.learner !== "taste") return undefined;
  const user = users.get(userId);
  const learnedFrom = user === undefined ? [] : [...eventsOf(set, user)];
  const events = [...learnedFrom, ...newer.flatMap((id) => items.get(id) ?? [])];
  return events.length === 0 ? undefined : tasteScores(learned.taste, events);
}

function popularityScores({ popular }: Model): Float64Array {
  const scores = new Float64Array(popular.length);
  popular.forEach((item, place) => {
    scores[item] = 1 / (place + 1);
  });
  return scores;
}

function softmax(scores: Float64Array): Float64Array {
  const highest = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const powers = scores.map((score) => Math.exp((score - highest) * SHARPNESS));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

/** Spreads the scores, which are close together. Without it, all shares would be nearly equal. */
const SHARPNESS = 5;
