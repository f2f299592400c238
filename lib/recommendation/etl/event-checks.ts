import { allRows, type Engine } from "./engine.ts";
import type { Manifest } from "./manifest.ts";
import type { ShardResult } from "./run-files.ts";
import type { EventCheck } from "./settings.ts";
import { literal, sql } from "./sql.ts";

/** How many users a shard lists for a check. Every shard lists those with the lowest hashes, so the lists match. */
const LISTED_USERS = 1_000;

/** Number of items that a shard reports. Events are spread evenly over shards, so popular items are popular in each. */
const SHARD_ITEMS = 2_000;

/** Two events are enough for a user to count. */
const ENOUGH = 2;

const ALL = 2 ** 32;

type Sample = ShardResult["checks"][number];

/** Counts the events in the view `kept`: by type and item, and those that each recipe would learn from, by user. */
export async function countEvents(checks: readonly EventCheck[], engine: Engine) {
  const columns = checks.map(({ event_type: type, event_value_threshold: threshold }, index) => {
    const ofType = type === undefined ? "true" : `EVENT_TYPE = ${literal(type)}`;
    // An event without a value is below every threshold.
    const above = threshold === undefined ? "true" : `EVENT_VALUE::DOUBLE >= ${threshold}`;
    return `, count(*) FILTER (${ofType} AND ${above})::DOUBLE AS check${index}`;
  });
  await engine.run(sql("counted", { checks: columns.join("") }));
  const counts = async (name: string, rest: string) =>
    (
      await allRows(engine, `SELECT ${name} AS name, events FROM counted WHERE ${name} IS NOT NULL ORDER BY ${rest}`)
    ).map(({ name, events }): [string, number] => [String(name), Number(events)]);
  const total = `SELECT * FROM counted WHERE coalesce(type, item, "user") IS NULL`;
  const [all] = await allRows(engine, total);
  const samples: Sample[] = [];
  for (const [index] of checks.entries()) {
    const rows = await allRows(
      engine,
      `SELECT "user", least(check${index}, ${ENOUGH}) AS events, (md5_number_lower("user") >> 32)::DOUBLE AS hash
       FROM counted WHERE "user" IS NOT NULL AND check${index} > 0 ORDER BY hash, "user" LIMIT ${LISTED_USERS + 1}`,
    );
    const below = rows.length > LISTED_USERS ? Number(rows.at(-1)?.hash) : null;
    const users = rows.map(({ user, events, hash }): Sample["users"][number] => [
      String(user),
      Number(events),
      Number(hash),
    ]);
    samples.push({
      interactions: Number(all?.[`check${index}`]),
      users: users.filter(([, , hash]) => below === null || hash < below),
      below,
    });
  }
  return {
    impressions: Number(all?.impressions),
    event_types: Object.fromEntries(await counts("type", "name")),
    items: await counts("item", `events DESC, name LIMIT ${SHARD_ITEMS}`),
    checks: samples,
  };
}

/**
 * Adds up the shards. A user's events are spread over the shards, so it counts only users below the lowest bound, whom
 * all shards list.
 */
export function totalOf(name: string, samples: readonly Sample[]): Manifest["checks"][number] {
  const below = Math.min(ALL, ...samples.map((sample) => sample.below ?? ALL));
  const exact = below === ALL;
  const listed = samples.flatMap(({ users }) => users.filter(([, , hash]) => hash < below));
  const events = sums(listed.map(([user, count]) => [user, count]));
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

/** Adds up the counts of each name, sorted by name. */
export function sums(counts: readonly (readonly [name: string, count: number])[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const [name, count] of counts) found.set(name, (found.get(name) ?? 0) + count);
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
