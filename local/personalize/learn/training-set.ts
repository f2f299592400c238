import type { Interaction } from "../data/interactions.ts";

/** Which interactions are learned from. An event type without a threshold counts whatever its value. */
export interface EventChoice {
  /** By event type in lower case; null takes all of them. */
  thresholds: ReadonlyMap<string, number | undefined> | null;
}

/** Interactions by user, each user's in order of time; users and items by number. Plain data, so that it can be stored. */
export interface TrainingSet {
  users: readonly string[];
  items: readonly string[];
  /** User `u` has the events `starts[u]` to `starts[u + 1]`. */
  starts: Int32Array;
  /** The item of each event. */
  eventItems: Int32Array;
}

/** Whether an interaction is learned from. */
export function isChosen({ thresholds }: EventChoice, { eventType, eventValue }: Interaction): boolean {
  if (!thresholds) return true;
  const type = (eventType ?? "").toLowerCase();
  if (!thresholds.has(type)) return false;
  const threshold = thresholds.get(type);
  return threshold === undefined || (eventValue !== null && eventValue >= threshold);
}

/** Sorts interactions by user and time. `catalogue` are item ids that get a number even without an interaction. */
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

/** The events of one user, oldest first. */
export function eventsOf(set: TrainingSet, user: number): Int32Array {
  return set.eventItems.subarray(set.starts[user] ?? 0, set.starts[user + 1] ?? 0);
}

/** A set without each user's newest tenth, and that tenth: what a model is measured with. Users with fewer than 3 events stay whole. */
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

/** How many events each item has. */
export function itemCounts({ items, eventItems }: TrainingSet): Float64Array {
  const counts = new Float64Array(items.length);
  for (const item of eventItems) counts[item] = (counts[item] ?? 0) + 1;
  return counts;
}

/** The share of events whose user had had the item before: near 0 for films, high for groceries. */
export function repeatShare(set: TrainingSet): number {
  let repeats = 0;
  for (let user = 0; user < set.users.length; user += 1) {
    const events = eventsOf(set, user);
    repeats += events.length - new Set(events).size;
  }
  return set.eventItems.length === 0 ? 0 : repeats / set.eventItems.length;
}
