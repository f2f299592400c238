import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { writeReport } from "../../../../lib/recommendation/etl/deduplicate.ts";
import { allRows, type Engine, withEngine } from "../../../../lib/recommendation/etl/engine.ts";
import { totals } from "../../../../lib/recommendation/etl/finish.ts";
import type { EventCheck } from "../../../../lib/recommendation/etl/settings.ts";
import { suite } from "../../../suite.ts";
import { MemoryStore } from "./memory.ts";
import { LIMITS } from "./run.ts";

const test = suite("what training asks for");

/** Lets each shard report its events, the rows of a query, and `read` what they add up to. */
const reported = <T>(
  checks: readonly EventCheck[],
  shards: readonly string[],
  read: (found: Awaited<ReturnType<typeof totals>>, engine: Engine) => Promise<T>,
) =>
  withEngine(LIMITS, async (engine: Engine) => {
    const store = new MemoryStore();
    await engine.run("CREATE TABLE dropped (__dropped BIGINT)");
    const files = [];
    for (const [shard, rows] of shards.entries()) {
      await engine.run(`CREATE OR REPLACE VIEW kept AS ${rows}`);
      await writeReport("report", checks, store, engine);
      const file = join(engine.folder, `${shard}.parquet`);
      writeFileSync(file, store.objects.get("report") ?? "");
      files.push(file);
    }
    return read(await totals(files, engine), engine);
  });

/** What a check counts over shards. */
const counted = (check: EventCheck, ...shards: string[]) =>
  reported([check], shards, async ({ checks: [first] }) => {
    assert.ok(first);
    return first;
  });

const view = (users: string, from: string) =>
  `SELECT ${users} AS USER_ID, 'view' AS EVENT_TYPE, NULL::VARCHAR AS EVENT_VALUE, 'B1' AS ITEM_ID, NULL AS IMPRESSION FROM ${from}`;

test("adds up a user's events over the shards", async () => {
  const one = view("'U1'", "range(1)");
  assert.equal(await counted({ name: "all" }, one, one), {
    interactions: 2,
    users: 1,
    users_with_two: 1,
    exact: true,
  });
});

test("takes an event without a value for one below every threshold", async () => {
  const values =
    "SELECT 'U1' AS USER_ID, 'view' AS EVENT_TYPE, unnest([NULL, '-1', '-1.5']) AS EVENT_VALUE, 'B1' AS ITEM_ID, NULL AS IMPRESSION";
  const { interactions } = await counted({ name: "r", event_value_threshold: -1 }, values);
  assert.is(interactions, 1);
});

test("projects the number of users when there are many, within 10 %", async () => {
  // Every user has one event, every fifth another one in another shard.
  const shards = [0, 1, 2, 3].map(
    (shard) =>
      `${view("'U' || range", "range(50000)")}
       WHERE range % 4 = ${shard} OR (range % 5 = 0 AND (range + 1) % 4 = ${shard})`,
  );
  const { users, users_with_two, exact } = await counted({ name: "all" }, ...shards);
  assert.not(exact);
  assert.ok(Math.abs(users - 50_000) < 5_000, `${users}`);
  assert.ok(Math.abs(users_with_two - 10_000) < 2_000, `${users_with_two}`);
});

test("projects from users that every shard lists: a small shard's do not count twenty-fold", async () => {
  const shards = [900, 50_000].map((count, shard) => view(`'shard ${shard} user ' || range`, `range(${count})`));
  const { users } = await counted({ name: "all" }, ...shards);
  assert.ok(Math.abs(users - 50_900) < 5_000, `${users}`);
});

test("a shard lists the users of the lowest hashes and one more, each with at most two events", async () => {
  const shard = `${view("'user-' || range", "range(30000)")}
     UNION ALL ${view("'user-' || range", "range(30000)")} WHERE range % 3 = 0`;
  await reported([{ name: "all" }], [shard], async ({ checks }, engine) => {
    assert.is(checks[0]?.interactions, 40_000);
    const lowest = await allRows(
      engine,
      `SELECT 'user-' || range AS name, if(range % 3 = 0, 2, 1)::INTEGER AS events
       FROM range(30000) ORDER BY md5_number_lower(name) >> 32 LIMIT 1001`,
    );
    const listed = await allRows(
      engine,
      "SELECT name, events::INTEGER AS events FROM report WHERE kind = 'user' ORDER BY hash",
    );
    assert.equal(listed, lowest);
  });
});

test("counts each recipe on its own, one without any events too", async () => {
  const rows = `${view("'U' || range", "range(3)")} UNION ALL ${view("'U1'", "range(1)")}`;
  const checks = [{ name: "none", event_type: "buy" }, { name: "all" }];
  const found = await reported(checks, [rows], async (all) => all.checks);
  assert.equal(found, [
    { interactions: 0, users: 0, users_with_two: 0, exact: true },
    { interactions: 4, users: 3, users_with_two: 1, exact: true },
  ]);
});

test("knows 24 users with two events from 25, spread over shards as they are", async () => {
  for (const pairs of [24, 25]) {
    const found = await counted(
      { name: "all" },
      view("'U' || range", "range(500)"),
      view("'U' || range", `range(${pairs})`),
    );
    assert.is(found.users_with_two, pairs);
  }
});

test("items and types of shards add up, the highest first, equal ones in the order of their names", async () => {
  const items = (...ids: string[]) => `SELECT 'U1' AS USER_ID, 'view' AS EVENT_TYPE, NULL::VARCHAR AS EVENT_VALUE,
    unnest(['${ids.join("', '")}']) AS ITEM_ID, NULL AS IMPRESSION`;
  await reported([], [items("b", "c"), items("c", "a", "c")], async (found) => {
    assert.equal(found.items, [
      ["c", 3],
      ["a", 1],
      ["b", 1],
    ]);
    assert.equal(found.types, [["view", 5]]);
  });
});

test("a thousand popular items are kept", async () => {
  const rows = "SELECT 'U1' AS USER_ID, 'view' AS EVENT_TYPE, NULL::VARCHAR AS EVENT_VALUE, NULL AS IMPRESSION,";
  const items = `${rows} 'B' || range AS ITEM_ID FROM range(1500) UNION ALL ${rows} 'B1499' FROM range(2)`;
  const kept = await reported([], [items], async ({ items: found }) => found);
  assert.equal([kept.length, kept[0]], [1_000, ["B1499", 3]]);
});

test.run();
