import * as assert from "uvu/assert";
import { array } from "valibot";
import { collect } from "../../../../lib/recommendation/etl/collect.ts";
import { deduplicate } from "../../../../lib/recommendation/etl/deduplicate.ts";
import {
  BUCKETS,
  bucketOf,
  eventHash,
  shardBuckets,
  shardCount,
  shardOf,
} from "../../../../lib/recommendation/etl/event-hash.ts";
import { DeduplicateTask, readFile } from "../../../../lib/recommendation/etl/run-files.ts";
import { SegmentBuilder } from "../../../../lib/recommendation/etl/segment.ts";
import { RunSettings } from "../../../../lib/recommendation/etl/settings.ts";
import { suite } from "../../../suite.ts";
import { event, rowsOf, STARTED, world } from "./run.ts";

const test = suite("shards and segments");

test("ids are spread evenly over the buckets, numbered ones too", () => {
  const counts = new Array<number>(BUCKETS).fill(0);
  for (let id = 0; id < 256_000; id += 1) {
    const bucket = bucketOf(eventHash(`event-${id}`));
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  assert.ok(Math.min(...counts) > 800 && Math.max(...counts) < 1_200, `${Math.min(...counts)} ${Math.max(...counts)}`);
});

for (const count of [1, 4, 256, 1_024]) {
  test(`every id is in exactly the buckets that its shard of ${count} reads`, () => {
    for (let id = 0; id < 5_000; id += 1) {
      const hash = eventHash(`event-${id}`);
      const { first, end } = shardBuckets(shardOf(hash, count), count);
      assert.ok(bucketOf(hash) >= first && bucketOf(hash) < end);
    }
  });
}

test("the number of shards is a power of two that keeps them small, up to a limit", () => {
  assert.equal(
    [0, 100, 101, 350, 1e9].map((rows) => shardCount(rows, 100)),
    [1, 1, 2, 4, 65_536],
  );
});

test("a segment has its rows by bucket, in each in the order they came", () => {
  const builder = new SegmentBuilder(1_000);
  const rows: [hash: number, row: string][] = [
    [0xff000000, "last"],
    [0x01000000, "ä"],
    [0xff000001, "later"],
    [0x00000001, "first"],
  ];
  for (const [hash, row] of rows) builder.add(hash, row);
  const { bytes, offsets, rows: count } = builder.take();
  const bucket = (index: number) => bytes.subarray(offsets[index], offsets[index + 1]).toString();
  assert.equal([count, bucket(0), bucket(1), bucket(2), bucket(255)], [4, "first", "ä", "", "lastlater"]);
  assert.equal([builder.rows, builder.take().bytes.length], [0, 0]);
});

test("a segment says when a row may not fit", () => {
  const builder = new SegmentBuilder(10);
  assert.ok(builder.hasRoomFor("abc"));
  builder.add(0, "€€");
  assert.not(builder.hasRoomFor("ab"));
});

test("any number of shards and files gives the same events and counts", async () => {
  const { store, events, call } = world();
  const many = Array.from({ length: 900 }, (_, index) =>
    event(`e${index % 700}`, { USER_ID: `U${index % 50}`, TIMESTAMP: 1_740_000_000 + (index % 700) }),
  );
  events("2025-03-01", "a", many.slice(0, 400));
  events("2025-03-02", "a", many.slice(400));
  const outcomes = [];
  for (const [run, rowsPerShard] of [
    ["one", 1_000],
    ["some", 100],
    ["many", 2],
  ] as const) {
    const checks = [{ name: "all" }];
    await call({ task: "plan", run, startedAt: STARTED, mode: "init", checks });
    for (const task of JSON.parse(store.text(`etl/run=${run}/plan/groups.json`))) await call(task);
    const { shards } = await collect(run, store, { rowsPerShard });
    const tasks = await readFile(store, `etl/run=${run}/plan/shards.json`, array(DeduplicateTask));
    const settings = await readFile(store, `etl/run=${run}/plan/settings.json`, RunSettings);
    for (const task of tasks) await deduplicate(task, store, settings, { partBytes: 1 });
    for (const task of JSON.parse(store.text(`etl/run=${run}/plan/scans.json`))) await call(task);
    await call({ task: "finish", run });
    const manifest = JSON.parse(store.text(`etl/run=${run}/manifest.json`));
    outcomes.push({
      shards,
      rows: rowsOf(store, run, "interactions").sort(),
      checks: manifest.checks,
      duplicates: manifest.duplicates,
    });
  }
  assert.equal(
    outcomes.map(({ shards }) => shards),
    [1, 16, 512],
  );
  const [first, ...others] = outcomes.map(({ shards: _, ...outcome }) => outcome);
  assert.is(first?.rows.length, 700);
  assert.is(first?.duplicates, 200);
  for (const other of others) assert.equal(other, first);
});

test.run();
