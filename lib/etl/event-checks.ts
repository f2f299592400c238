import { eventHash } from "./event-hash.ts";
import { ownText } from "./own-text.ts";
import type { ShardResult } from "./run-files.ts";
import type { EventCheck } from "./settings.ts";

/** Users a shard lists for a check: those of the lowest hashes, which are the same users in every shard. */
const LISTED_USERS = 1_000;

/** Two events are enough for a user to count. */
const ENOUGH = 2;

type Sample = ShardResult["checks"][number];

/** Counts the events of a shard that one recipe would learn from, and how many each user has. */
export class CheckCounter {
  readonly #eventType: string | undefined;
  readonly #threshold: number | undefined;
  readonly #users = new Map<string, number>();
  #interactions = 0;

  constructor(check: EventCheck) {
    this.#eventType = check.event_type;
    this.#threshold = check.event_value_threshold;
  }

  /** `eventValue` as text, empty when the event has none: it then is below every threshold. */
  add(userId: string, eventType: string, eventValue: string): void {
    if (this.#eventType !== undefined && eventType !== this.#eventType) return;
    if (this.#threshold !== undefined && (eventValue === "" || Number(eventValue) < this.#threshold)) return;
    this.#interactions += 1;
    const events = this.#users.get(userId) ?? 0;
    if (events === 0) this.#users.set(ownText(userId), 1);
    else if (events < ENOUGH) this.#users.set(userId, events + 1);
  }

  sample(): Sample {
    if (this.#users.size <= LISTED_USERS) {
      return { interactions: this.#interactions, users: [...this.#users], below: null };
    }
    const hashes = [...this.#users.keys()].map(eventHash).sort((a, b) => a - b);
    const below = hashes[LISTED_USERS] ?? 2 ** 32;
    return {
      interactions: this.#interactions,
      users: [...this.#users].filter(([user]) => eventHash(user) < below),
      below,
    };
  }
}

/** What a recipe would learn from, over all shards. */
export interface CheckTotal {
  name: string;
  interactions: number;
  /** Users with at least one such event, and with at least two. */
  users: number;
  users_with_two: number;
  /** False: the numbers of users are projected from those of the lowest hashes, as there are thousands. */
  exact: boolean;
}

/** Adds the shards up. A user's events are spread over the shards, so only users that all shards list can be counted. */
export function totalOf(name: string, samples: readonly Sample[]): CheckTotal {
  const below = Math.min(2 ** 32, ...samples.map((sample) => sample.below ?? 2 ** 32));
  const exact = below === 2 ** 32;
  const events = new Map<string, number>();
  for (const { users } of samples) {
    for (const [user, count] of users) {
      if (exact || eventHash(user) < below) events.set(user, (events.get(user) ?? 0) + count);
    }
  }
  const two = [...events.values()].filter((count) => count >= ENOUGH).length;
  const project = (count: number) => (exact ? count : Math.round(count * (2 ** 32 / below)));
  return {
    name,
    interactions: samples.reduce((sum, { interactions }) => sum + interactions, 0),
    users: project(events.size),
    users_with_two: project(two),
    exact,
  };
}
