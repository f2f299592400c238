import { allRows, type Engine } from "./engine.ts";
import type { ShardResult } from "./run-files.ts";
import type { EventCheck } from "./settings.ts";
import { literal, sql } from "./sql.ts";

/** How many users a shard lists for a check. Every shard lists those with the lowest hashes, so the lists match. */
const LISTED_USERS = 1_000;

/** Two events are enough for a user to count. */
const ENOUGH = 2;

const ALL = 2 ** 32;

type Sample = ShardResult["checks"][number];

/** Counts the events in the view `kept` that one recipe would learn from, in total and by user. */
export async function checkSample(check: EventCheck, engine: Engine): Promise<Sample> {
  const { event_type: type, event_value_threshold: threshold } = check;
  const counts = [
    ...(type === undefined ? [] : [`EVENT_TYPE = ${literal(type)}`]),
    // An event without a value is below every threshold.
    ...(threshold === undefined ? [] : [`EVENT_VALUE::DOUBLE >= ${threshold}`]),
  ];
  const query = sql("check", { counts: counts.join(" AND ") || "true", listed: LISTED_USERS });
  const rows = await allRows(engine, query);
  const below = rows.length > LISTED_USERS ? Number(rows.at(-1)?.hash) : null;
  const users = rows
    .map(({ user, events, hash }): [string, number, number] => [String(user), Number(events), Number(hash)])
    .filter(([, , hash]) => below === null || hash < below);
  return { interactions: Number(rows[0]?.interactions ?? 0), users, below };
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
    for (const [user, count, hash] of users) if (hash < below) events.set(user, (events.get(user) ?? 0) + count);
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
