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
  const items = new Map<string, number>();
  const byUser = new Map<string, Interaction[]>();
  for (const interaction of interactions) {
    const own = byUser.get(interaction.userId);
    if (own) own.push(interaction);
    else byUser.set(interaction.userId, [interaction]);
    if (!items.has(interaction.itemId)) items.set(interaction.itemId, items.size);
  }
  for (const itemId of catalogue) if (!items.has(itemId)) items.set(itemId, items.size);

  const starts = new Int32Array(byUser.size + 1);
  const eventItems = new Int32Array(interactions.length);
  let user = 0;
  let event = 0;
  for (const own of byUser.values()) {
    for (const { itemId } of own.sort((a, b) => a.timestamp - b.timestamp)) {
      eventItems[event] = items.get(itemId) ?? 0;
      event += 1;
    }
    user += 1;
    starts[user] = event;
  }
  return { users: [...byUser.keys()], items: [...items.keys()], starts, eventItems };
}

/** Returns the items of one user's events, oldest first. */
export function eventsOf(set: TrainingSet, user: number): Int32Array {
  return set.eventItems.subarray(set.starts[user] ?? 0, set.starts[user + 1] ?? 0);
}

/** Splits off each user's newest tenth of events to measure a model. Users with fewer than 3 events keep them all. */
export function holdOut(set: TrainingSet): { known: TrainingSet; hidden: readonly Int32Array[] } {
  const starts = new Int32Array(set.starts.length);
  const kept: Int32Array[] = [];
  const hidden: Int32Array[] = [];
  for (let user = 0; user < set.users.length; user += 1) {
    const events = eventsOf(set, user);
    const held = events.length < 3 ? 0 : Math.ceil(events.length / 10);
    kept.push(events.subarray(0, events.length - held));
    hidden.push(events.subarray(events.length - held));
    starts[user + 1] = (starts[user] ?? 0) + events.length - held;
  }
  const eventItems = new Int32Array(starts.at(-1) ?? 0);
  kept.forEach((events, user) => {
    eventItems.set(events, starts[user] ?? 0);
  });
  return { known: { ...set, starts, eventItems }, hidden };
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
