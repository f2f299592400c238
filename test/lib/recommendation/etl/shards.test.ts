import * as assert from "uvu/assert";
import { plan, powerOfTwo, splitShards } from "../../../../lib/recommendation/etl/plan.ts";
import { withEngine } from "../../../../lib/recommendation/etl/sql.ts";
import { transform } from "../../../../lib/recommendation/etl/transform.ts";
import { eventLine } from "../../../../lib/recommendation/records/layout.ts";
import { suite } from "../../../suite.ts";
import { MemoryStore, memoryTables } from "./memory.ts";
import { DEFINITIONS, event, LIMITS, rowsOf, STARTED, world } from "./run.ts";

type World = ReturnType<typeof world>;

const test = suite("shards and partitions");

test("the number of shards is a power of two that keeps them small", () => {
  assert.equal([0, 0.2, 1, 1.01, 3.5, 4].map(powerOfTwo), [1, 1, 1, 2, 4, 4]);
});

test("an event's partition is the remainder of md5 of its EVENT_ID, whatever the version of the engine", async () => {
  const store = new MemoryStore();
  // md5 of e1 begins with the bytes cd ac 5f d4 1d a4 ..., and its last eight decide: 15746777100772392214 % 8 = 6.
  store.objects.set("a", Buffer.from(eventLine(event("e1"))));
  const task = { task: "transform", run: "r", result: "d.json", objects: ["a"], of: 8 } as const;
  await withEngine(LIMITS, (engine) => transform({ ...task, objects: ["a"] }, store, DEFINITIONS, engine));
  assert.equal(
    [...store.objects.keys()].filter((key) => key.endsWith(".parquet")),
    ["d-0006-of-0008.parquet"],
  );
});

test("ids are spread evenly over the partitions, even numbered ones", async () => {
  const counts = await withEngine(LIMITS, async (engine) => {
    const query = "SELECT count(*) AS n FROM range(64000) GROUP BY shard_of('event-' || range, 64)";
    return (await engine.rows(query)).map(({ n }) => Number(n));
  });
  assert.is(counts.length, 64);
  assert.ok(Math.min(...counts) > 800 && Math.max(...counts) < 1_200, `${Math.min(...counts)} ${Math.max(...counts)}`);
});

const INPUT: Parameters<typeof plan>[0] = {
  ...{ run: "r", startedAt: STARTED, mode: "init", checks: [{ name: "all" }] },
  ...{ logLookbackDays: 3, forceReprocessLookbackDays: 0 },
};

/** Plans a run, reads its events, and splits them into shards of at most this many bytes, unpacked. */
async function split(of: World, shardBytes: number, partitions = 1) {
  await plan(INPUT, of.store, memoryTables(of.records), DEFINITIONS);
  for (const task of listOf(of, "reads")) {
    await of.call(task.task === "transform" ? { ...task, of: partitions } : task);
  }
  await splitShards("r", of.store, { shardBytes });
}

const listOf = ({ store }: World, name: string) => JSON.parse(store.text(`etl/run=r/plan/${name}.json`));

test("a shard is limited by its unpacked bytes, however well they compress, for the disk and for S3", async () => {
  const made = world();
  const lines = Array.from({ length: 200 }, (_, index) => event(`e${index}`));
  made.events("2025-03-01", "a", lines, true);
  const bytes = lines.map(eventLine).join("").length;
  const [stored] = [...made.store.objects.values()];
  assert.ok(stored && stored.length < bytes / 8);
  await split(made, bytes);
  assert.is(listOf(made, "shards").length, 1);
  await split(made, bytes - 1);
  assert.is(listOf(made, "shards").length, 2);
});

test("the number of partitions of a group depends on its stored bytes", async () => {
  const made = world();
  made.events("2025-03-01", "a", [event("e1"), event("e2")]);
  await plan(INPUT, made.store, memoryTables(made.records), DEFINITIONS, { partitionBytes: 100 });
  assert.is(listOf(made, "reads")[0].of, 4);
});

test("events and counts are the same for any number of shards and partitions", async () => {
  const many = Array.from({ length: 900 }, (_, index) =>
    event(`e${index % 700}`, { USER_ID: `U${index % 50}`, TIMESTAMP: 1_740_000_000 + index }),
  );
  const outcomes = [];
  for (const partitions of [1, 4, 16]) {
    for (const shardBytes of [1e6, 40_000, 10_000]) {
      const made = world();
      const { store, call } = made;
      made.events("2025-03-01", "a", many.slice(0, 400));
      made.events("2025-03-02", "a", many.slice(400));
      await split(made, shardBytes, partitions);
      for (const task of listOf(made, "shards")) await call(task);
      await call({ task: "finish", run: "r" });
      const { checks, duplicates } = JSON.parse(store.text("etl/run=r/manifest.json"));
      const shards = listOf(made, "shards").length;
      outcomes.push({ shards, rows: rowsOf(store, "r", "interactions").sort(), checks, duplicates });
    }
  }
  assert.equal(
    outcomes.map(({ shards }) => shards),
    [1, 4, 16, 1, 4, 16, 1, 4, 16],
  );
  const [first, ...others] = outcomes.map(({ shards: _, ...outcome }) => outcome);
  assert.is(first?.rows.length, 700);
  assert.is(first?.duplicates, 200);
  // The first of two events with the same id has the earlier time here.
  assert.ok(first?.rows.every((row) => Number(row.split(",")[4]) < 1_740_000_700));
  for (const other of others) assert.equal(other, first);
});

test.run();
