import * as assert from "uvu/assert";
import { type Engine, withEngine } from "../../../../lib/recommendation/etl/engine.ts";
import { countEvents, totalOf } from "../../../../lib/recommendation/etl/event-checks.ts";
import { popularItems } from "../../../../lib/recommendation/etl/popular-items.ts";
import type { EventCheck } from "../../../../lib/recommendation/etl/settings.ts";
import { suite } from "../../../suite.ts";
import { LIMITS } from "./run.ts";

const test = suite("what training asks for");

/** What each shard reports. The events of a shard are the rows of a query. */
const samples = (check: EventCheck, ...shards: string[]) =>
  withEngine(LIMITS, async (engine: Engine) => {
    const found = [];
    for (const rows of shards) {
      await engine.run(`CREATE OR REPLACE VIEW kept AS ${rows}`);
      found.push(...(await countEvents([check], engine)).checks);
    }
    return found;
  });

const view = (users: string, from: string) =>
  `SELECT ${users} AS USER_ID, 'view' AS EVENT_TYPE, NULL::VARCHAR AS EVENT_VALUE, 'B1' AS ITEM_ID, NULL AS IMPRESSION FROM ${from}`;

test("adds up a user's events over the shards", async () => {
  const one = view("'U1'", "range(1)");
  assert.equal(totalOf("all", await samples({ name: "all" }, one, one)), {
    name: "all",
    interactions: 2,
    users: 1,
    users_with_two: 1,
    exact: true,
  });
});

test("takes an event without a value for one below every threshold", async () => {
  const values =
    "SELECT 'U1' AS USER_ID, 'view' AS EVENT_TYPE, unnest([NULL, '-1', '-1.5']) AS EVENT_VALUE, 'B1' AS ITEM_ID, NULL AS IMPRESSION";
  const [sample] = await samples({ name: "r", event_value_threshold: -1 }, values);
  assert.is(sample?.interactions, 1);
});

test("projects the number of users when there are many, within 10 %", async () => {
  // Every user has one event, every fifth another one in another shard.
  const shards = [0, 1, 2, 3].map(
    (shard) =>
      `${view("'U' || range", "range(50000)")}
       WHERE range % 4 = ${shard} OR (range % 5 = 0 AND (range + 1) % 4 = ${shard})`,
  );
  const found = await samples({ name: "all" }, ...shards);
  const { users, users_with_two, exact } = totalOf("all", found);
  assert.not(exact);
  assert.ok(Math.abs(users - 50_000) < 5_000, `${users}`);
  assert.ok(Math.abs(users_with_two - 10_000) < 2_000, `${users_with_two}`);
  assert.ok(found.every((shard) => shard.users.length <= 1_000));
});

test("projects from users that every shard lists: a small shard's do not count twenty-fold", async () => {
  const shards = [900, 50_000].map((count, shard) => view(`'shard ${shard} user ' || range`, `range(${count})`));
  const { users } = totalOf("all", await samples({ name: "all" }, ...shards));
  assert.ok(Math.abs(users - 50_900) < 5_000, `${users}`);
});

test("lists exactly the users of the lowest hashes, with all their events", async () => {
  const [sample] = await samples(
    { name: "all" },
    `${view("'user-' || range", "range(30000)")}
     UNION ALL ${view("'user-' || range", "range(30000)")} WHERE range % 3 = 0`,
  );
  assert.is(sample?.interactions, 40_000);
  assert.is(sample?.users.length, 1_000);
  const hashes = sample?.users.map(([, , hash]) => hash) ?? [];
  assert.equal(
    hashes,
    hashes.toSorted((a, b) => a - b),
  );
  assert.ok((hashes.at(-1) ?? 0) < (sample?.below ?? 0));
  for (const [user, events] of sample?.users ?? []) assert.is(events, Number(user.slice(5)) % 3 === 0 ? 2 : 1, user);
});

test("knows 24 users with two events from 25, spread over shards as they are", async () => {
  for (const pairs of [24, 25]) {
    const found = await samples(
      { name: "all" },
      view("'U' || range", "range(500)"),
      view("'U' || range", `range(${pairs})`),
    );
    assert.is(totalOf("all", found).users_with_two, pairs);
  }
});

test("the popular items of shards add up, equal ones in the order of their ids", () => {
  const one: [string, number][] = [
    ["c", 2],
    ["a", 1],
  ];
  const two: [string, number][] = [
    ["b", 1],
    ["c", 1],
  ];
  assert.equal(popularItems([two, one]), [
    { item_id: "c", events: 3 },
    { item_id: "a", events: 1 },
    { item_id: "b", events: 1 },
  ]);
});

test("a thousand popular items are kept", () => {
  const counts = Array.from({ length: 5_000 }, (_, index): [string, number] => [`B${index}`, 5_000 - index]);
  const items = popularItems([counts]);
  assert.equal([items.length, items.at(-1)?.item_id], [1_000, "B999"]);
});

test.run();
