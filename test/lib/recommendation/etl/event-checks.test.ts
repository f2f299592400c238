import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { literals } from "../../../../lib/platform/sql/database.ts";
import { writeReport } from "../../../../lib/recommendation/etl/deduplicate.ts";
import { sql, withEngine } from "../../../../lib/recommendation/etl/sql.ts";
import type { EventCheck } from "../../../../lib/recommendation/etl/tasks.ts";
import { suite } from "../../../suite.ts";
import { MemoryStore } from "./memory.ts";
import { LIMITS } from "./run.ts";

const test = suite("event checks for training");

/** Lets each shard report its events, the rows of a query, and returns their sum. */
const reported = (checks: readonly EventCheck[], ...shards: string[]) =>
  withEngine(LIMITS, async (engine) => {
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
    const names = literals(checks.map(({ name }) => name));
    const [row] = await engine.rows(sql("totals", { files: literals(files), names, items: 1_000 }));
    return JSON.parse(String(row?.totals));
  });

/** Returns what a check counts over shards. */
async function counted(check: EventCheck, ...shards: string[]) {
  const { checks } = await reported([check], ...shards);
  assert.ok(checks[0]);
  return checks[0];
}

const view = (users: string, from: string) =>
  `SELECT ${users} AS USER_ID, 'view' AS EVENT_TYPE, NULL::VARCHAR AS EVENT_VALUE, 'B1' AS ITEM_ID, NULL AS IMPRESSION FROM ${from}`;

test("adds up a user's events over the shards", async () => {
  const one = view("'U1'", "range(1)");
  assert.equal(await counted({ name: "all" }, one, one), {
    name: "all",
    interactions: 2,
    users: 1,
    users_with_two: 1,
  });
});

test("treats an event without a value as below every threshold", async () => {
  const values =
    "SELECT 'U1' AS USER_ID, 'view' AS EVENT_TYPE, unnest([NULL, '-1', '-1.5']) AS EVENT_VALUE, 'B1' AS ITEM_ID, NULL AS IMPRESSION";
  const { interactions } = await counted({ name: "r", event_value_threshold: -1 }, values);
  assert.is(interactions, 1);
});

test("counts users exactly, however many there are and whatever the size of a shard", async () => {
  // Every user has one event, and every fifth has a second one in another shard.
  const shards = [0, 1, 2, 3].map(
    (shard) =>
      `${view("'U' || range", "range(50000)")}
       WHERE range % 4 = ${shard} OR (range % 5 = 0 AND (range + 1) % 4 = ${shard})`,
  );
  const { users, users_with_two } = await counted(
    { name: "all" },
    ...shards,
    view("'another ' || range", "range(900)"),
  );
  assert.equal([users, users_with_two], [50_900, 10_000]);
});

test("counts each recipe on its own, even one without any events", async () => {
  const rows = `${view("'U' || range", "range(3)")} UNION ALL ${view("'U1'", "range(1)")}`;
  const checks = [{ name: "none", event_type: "buy" }, { name: "all" }];
  const found = await reported(checks, rows);
  assert.equal(found.checks, [
    { name: "none", interactions: 0, users: 0, users_with_two: 0 },
    { name: "all", interactions: 4, users: 3, users_with_two: 1 },
  ]);
});

test("tells 24 users with two events from 25 across shards", async () => {
  for (const pairs of [24, 25]) {
    const found = await counted(
      { name: "all" },
      view("'U' || range", "range(500)"),
      view("'U' || range", `range(${pairs})`),
    );
    assert.is(found.users_with_two, pairs);
  }
});

test("adds up items and types of shards, the highest count first and equal counts by name", async () => {
  const items = (...ids: string[]) => `SELECT 'U1' AS USER_ID, 'view' AS EVENT_TYPE, NULL::VARCHAR AS EVENT_VALUE,
    unnest(['${ids.join("', '")}']) AS ITEM_ID, NULL AS IMPRESSION`;
  const found = await reported([], items("b", "c"), items("c", "a", "c"));
  assert.equal(found.popular, [
    { item_id: "c", events: 3 },
    { item_id: "a", events: 1 },
    { item_id: "b", events: 1 },
  ]);
  assert.equal(found.event_types, { view: 5 });
});

test("keeps a thousand popular items", async () => {
  const rows = "SELECT 'U1' AS USER_ID, 'view' AS EVENT_TYPE, NULL::VARCHAR AS EVENT_VALUE, NULL AS IMPRESSION,";
  const items = `${rows} 'B' || range AS ITEM_ID FROM range(1500) UNION ALL ${rows} 'B1499' FROM range(2)`;
  const { popular } = await reported([], items);
  assert.equal([popular.length, popular[0]], [1_000, { item_id: "B1499", events: 3 }]);
});

test.run();
