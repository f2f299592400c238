import { eventHash } from "./event-hash.ts";
import { ownText } from "./own-text.ts";
import type { ShardResult } from "./run-files.ts";
import type { EventCheck } from "./settings.ts";

/** How many users a shard lists for a check. Every shard lists those with the lowest hashes, so the lists match. */
const LISTED_USERS = 1_000;

/** Two events are enough for a user to count. */
const ENOUGH = 2;

type Sample = ShardResult["checks"][number];

/** How many users to keep while counting, before dropping those that cannot be listed. */
const KEPT_USERS = 4 * LISTED_USERS;

const ALL = 2 ** 32;

interface User {
  hash: number;
  events: number;
}

/**
 * Counts the events of a shard that one recipe would learn from, in total and by user. Keeps only the users with the
 * lowest hashes. Since the bound only goes down, a user that is listed in the end was never dropped.
 */
export class CheckCounter {
  readonly #eventType: string | undefined;
  readonly #threshold: number | undefined;
  readonly #users = new Map<string, User>();
  #below = ALL;
  #interactions = 0;

  constructor(check: EventCheck) {
    this.#eventType = check.event_type;
    this.#threshold = check.event_value_threshold;
  }

  /** Counts an event. An empty `eventValue` means that the event has none, which is below every threshold. */
  add(userId: string, eventType: string, eventValue: string): void {
    if (this.#eventType !== undefined && eventType !== this.#eventType) return;
    if (this.#threshold !== undefined && (eventValue === "" || Number(eventValue) < this.#threshold)) return;
    this.#interactions += 1;
    const hash = eventHash(userId);
    if (hash >= this.#below) return;
    const user = this.#users.get(userId);
    if (user) {
      if (user.events < ENOUGH) user.events += 1;
      return;
    }
    this.#users.set(ownText(userId), { hash, events: 1 });
    if (this.#users.size > KEPT_USERS) this.#drop();
  }

  sample(): Sample {
    if (this.#users.size > LISTED_USERS) this.#drop();
    const users = [...this.#users].map(([user, { events }]): [string, number] => [user, events]);
    return { interactions: this.#interactions, users, below: this.#below === ALL ? null : this.#below };
  }

  /** Keeps only the users with the lowest hashes, and lowers the bound to the next hash. */
  #drop(): void {
    const hashes = [...this.#users.values()].map(({ hash }) => hash).sort((a, b) => a - b);
    this.#below = hashes[LISTED_USERS] ?? ALL;
    for (const [user, { hash }] of this.#users) if (hash >= this.#below) this.#users.delete(user);
  }
}

/** The events that a recipe would learn from, over all shards. */
export interface CheckTotal {
  name: string;
  interactions: number;
  /** Number of users with at least one such event; below, with at least two. */
  users: number;
  users_with_two: number;
  /** Whether the numbers of users are exact. With thousands of users, they are estimated from the lowest hashes. */
  exact: boolean;
}

/**
 * Adds up the shards. A user's events are spread over the shards, so it counts only users below the lowest bound, whom
 * all shards list.
 */
export function totalOf(name: string, samples: readonly Sample[]): CheckTotal {
  const below = Math.min(ALL, ...samples.map((sample) => sample.below ?? ALL));
  const exact = below === ALL;
  const events = new Map<string, number>();
  for (const { users } of samples) {
    for (const [user, count] of users) {
      if (exact || eventHash(user) < below) events.set(user, (events.get(user) ?? 0) + count);
    }
  }
  const two = [...events.values()].filter((count) => count >= ENOUGH).length;
  const project = (count: number) => (exact ? count : Math.round(count * (ALL / below)));
  return {
    name,
    interactions: samples.reduce((sum, { interactions }) => sum + interactions, 0),
    users: project(events.size),
    users_with_two: project(two),
    exact,
  };
}
