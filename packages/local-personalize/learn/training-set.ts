import type { Matrix } from "@relevance/lib/recommendation/built-in/matrix.ts";
import type { Interaction } from "../data/interactions.ts";

/** Selects the interactions to train on. An event type without a threshold counts with any value. */
export interface EventChoice {
  /** Thresholds by event type in lower case. Null selects all interactions. */
  thresholds: ReadonlyMap<string, number | undefined> | null;
}

/** Interactions by user, in order of time. Users and items are indexes. Plain data, so that it can be stored. */
export interface TrainingSet {
  users: readonly string[];
  items: readonly string[];
  /** The events of user `u` are those from `starts[u]` up to, but not including, `starts[u + 1]`. */
  starts: Int32Array;
  /** The item index of each event. */
  eventItems: Int32Array;
}

/** Returns whether the training uses an interaction. */
export function isChosen({ thresholds }: EventChoice, { eventType, eventValue }: Interaction): boolean {
  if (!thresholds) return true;
  const type = (eventType ?? "").toLowerCase();
  if (!thresholds.has(type)) return false;
  const threshold = thresholds.get(type);
  return threshold === undefined || (eventValue !== null && eventValue >= threshold);
}

/** Groups interactions by user, in order of time. Item IDs in `catalogue` get an index even without interactions. */
export function trainingSet(interactions: readonly Interaction[], catalogue: Iterable<string> = []): TrainingSet {
  const byUser = Map.groupBy(interactions, ({ userId }) => userId);
  const ids = new Set([...interactions.map(({ itemId }) => itemId), ...catalogue]);
  const items = new Map(Array.from(ids, (id, number) => [id, number]));
  const events = Array.from(byUser.values(), (own) =>
    own.sort((a, b) => a.timestamp - b.timestamp).map(({ itemId }) => items.get(itemId) ?? 0),
  );
  return { users: [...byUser.keys()], items: [...items.keys()], ...packed(events) };
}

/** Returns a training set without users and their events. */
export function withoutUsers(set: TrainingSet, ids: ReadonlySet<string>): TrainingSet {
  const kept = set.users.map((id, user) => ({ id, events: eventsOf(set, user) })).filter(({ id }) => !ids.has(id));
  return { users: kept.map(({ id }) => id), items: set.items, ...packed(kept.map(({ events }) => events)) };
}

/** Packs lists of events, one per user, into the form of a training set. */
export function packed(events: readonly ArrayLike<number>[]): Pick<TrainingSet, "starts" | "eventItems"> {
  const starts = new Int32Array(events.length + 1);
  for (const [user, own] of events.entries()) starts[user + 1] = (starts[user] ?? 0) + own.length;
  const eventItems = new Int32Array(starts.at(-1) ?? 0);
  for (const [user, own] of events.entries()) eventItems.set(own, starts[user]);
  return { starts, eventItems };
}

/** Returns a training set in the form that the built-in engine learns from. */
export function matrixOf(set: TrainingSet): Matrix {
  const histories = set.users.map((_, user) => [...new Set(eventsOf(set, user).toReversed())]);
  const { starts, eventItems } = packed(histories);
  return { users: set.users.length, items: set.items.length, startOfUser: starts, itemOf: eventItems };
}

/** Returns the items of one user's events, oldest first. */
export function eventsOf(set: TrainingSet, user: number): Int32Array {
  return set.eventItems.subarray(set.starts[user] ?? 0, set.starts[user + 1] ?? 0);
}

/** Splits off each user's newest tenth of events to measure a model. Users with fewer than 3 events keep them all. */
export function holdOut(set: TrainingSet): { known: TrainingSet; hidden: readonly Int32Array[] } {
  const split = set.users.map((_, user) => {
    const events = eventsOf(set, user);
    const held = events.length < 3 ? 0 : Math.ceil(events.length / 10);
    return { kept: events.subarray(0, events.length - held), hidden: events.subarray(events.length - held) };
  });
  return { known: { ...set, ...packed(split.map(({ kept }) => kept)) }, hidden: split.map(({ hidden }) => hidden) };
}

/** Counts the events of each item. */
export function itemCounts({ items, eventItems }: TrainingSet): Float64Array {
  const counts = new Float64Array(items.length);
  for (const item of eventItems) counts[item] = (counts[item] ?? 0) + 1;
  return counts;
}

/** Returns the share of events that repeat an item for the same user: near 0 for films, high for groceries. */
export function repeatShare(set: TrainingSet): number {
  let repeats = 0;
  for (let user = 0; user < set.users.length; user += 1) {
    const events = eventsOf(set, user);
    repeats += events.length - new Set(events).size;
  }
  return set.eventItems.length === 0 ? 0 : repeats / set.eventItems.length;
}
