import * as assert from "uvu/assert";
import { plan } from "../../../../lib/recommendation/etl/plan.ts";
import { sharedKeys } from "../../../../lib/recommendation/etl/run-files.ts";
import { withEngine } from "../../../../lib/recommendation/etl/sql.ts";
import type { Task } from "../../../../lib/recommendation/etl/tasks.ts";
import { transform } from "../../../../lib/recommendation/etl/transform.ts";
import { eventLine } from "../../../../lib/recommendation/records/layout.ts";
import { suite } from "../../../suite.ts";
import { MemoryStore, memoryTables } from "./memory.ts";
import { DEFINITIONS, event, LIMITS, rowsOf, STARTED, world } from "./run.ts";

type World = ReturnType<typeof world>;

const test = suite("shards and partitions");

test("an event's partition is the remainder of md5 of its EVENT_ID, whatever the version of the engine", async () => {
  const store = new MemoryStore();
  // md5 of e1 begins with the bytes cd ac 5f d4 1d a4 ..., and its last eight decide: 15746777100772392214 % 8 = 6.
  store.objects.set("a", Buffer.from(eventLine(event("e1"))));
  const task: Task<"transform"> = { task: "transform", run: "r", result: "d-0008.json", objects: ["a"] };
  await withEngine(LIMITS, (engine) => transform(task, store, DEFINITIONS, engine));
  assert.equal(
    [...store.objects.keys()].filter((key) => key.endsWith(".parquet")),
    ["d-0008-0006.parquet"],
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

const INPUT = { run: "r", startedAt: STARTED, mode: "init", checks: [{ name: "all" }] } as const;

/** Plans a run with shards of at most this many bytes, as stored, and returns their number. */
async function planned({ store, records }: World, shardBytes: number): Promise<number> {
  const days = { lookbackDays: 3, forcedDays: 0 };
  await plan({ ...INPUT, checks: [...INPUT.checks] }, days, store, memoryTables(records), DEFINITIONS, { shardBytes });
  return listOf(store, "shards").length;
}

const listOf = (store: MemoryStore, name: string) => JSON.parse(store.text(`etl/run=r/plan/${name}.json`));

test("the number of shards is a power of two, at most 512, that keeps them small", async () => {
  const made = world();
  made.events("2025-03-01", "a", [event("e1"), event("e2")]);
  const [stored] = [...made.store.objects.values()];
  const numbers = [];
  for (const part of [2, 1, 0.9, 0.5, 0.3, 0.001]) numbers.push(await planned(made, (stored?.length ?? 0) * part));
  assert.equal(numbers, [1, 1, 2, 2, 4, 512]);
  assert.is(await planned(world(), 1), 1);
});

test("events and counts are the same for any number of shards and partitions", async () => {
  const many = Array.from({ length: 900 }, (_, index) =>
    event(`e${index % 700}`, { USER_ID: `U${index % 50}`, TIMESTAMP: 1_740_000_000 + index }),
  );
  const outcomes = [];
  // The first day is transformed by an earlier run, into another number of partitions.
  for (const earlierBytes of [1e6, 30_000, 5_000]) {
    for (const shardBytes of [1e6, 40_000, 10_000]) {
      const made = world();
      const { store, call } = made;
      made.events("2025-03-01", "a", many.slice(0, 400));
      await planned(made, earlierBytes);
      for (const task of listOf(store, "reads")) await call(task);
      made.events("2025-03-02", "a", many.slice(400));
      const shards = await planned(made, shardBytes);
      for (const task of [...listOf(store, "reads"), ...listOf(store, "shards")]) await call(task);
      await call({ task: "finish", run: "r" });
      const partitions = JSON.parse(store.text("etl/run=r/plan/plan.json")).groups.map(sharedKeys.partitions);
      const { checks, duplicates } = JSON.parse(store.text("etl/run=r/manifest.json"));
      outcomes.push({ shards, partitions, rows: rowsOf(store, "r", "interactions").sort(), checks, duplicates });
    }
  }
  assert.equal(
    outcomes.map(({ shards, partitions }) => [shards, partitions]),
    [1, 2, 16].flatMap((earlier) => [1, 4, 16].map((shards) => [shards, [earlier, shards]])),
  );
  const [first, ...others] = outcomes.map(({ shards: _, partitions: __, ...outcome }) => outcome);
  assert.is(first?.rows.length, 700);
  assert.is(first?.duplicates, 200);
  // The first of two events with the same id has the earlier time here.
  assert.ok(first?.rows.every((row) => Number(row.split(",")[4]) < 1_740_000_700));
  for (const other of others) assert.equal(other, first);
});

test.run();
