import * as assert from "uvu/assert";
import { readFile, ScanResult, type ScanTask } from "../../../../lib/recommendation/etl/run-files.ts";
import { scan } from "../../../../lib/recommendation/etl/scan.ts";
import { transform } from "../../../../lib/recommendation/etl/transform.ts";
import { eventLine } from "../../../../lib/recommendation/records/stored-event.ts";
import { suite } from "../../../suite.ts";
import { MemoryStore, memoryTables } from "./memory.ts";
import { DEFINITIONS, event, USER } from "./run.ts";

const test = suite("ETL in pieces");

const users = Array.from({ length: 35 }, (_, index) => ({ ...USER, USER_ID: `U${index}` }));
const first: ScanTask = {
  task: "scan",
  run: "r",
  dataset: "user",
  segment: 0,
  of: 1,
  part: 0,
  start: null,
  done: false,
};

/** Scans to the end; gives the rows of each file. */
async function scanAll(remaining: number, partBytes: number): Promise<number[]> {
  const store = new MemoryStore();
  const tables = memoryTables({ user: users, item: [] });
  const rows: number[] = [];
  for (let task = first; !task.done; ) {
    const { part } = task;
    task = await scan(task, store, tables, DEFINITIONS, { remaining: () => remaining }, { partBytes });
    const key = `etl/run=r/results/user-0000-${String(part).padStart(5, "0")}.json`;
    rows.push((await readFile(store, key, ScanResult)).rows);
  }
  const files = Object.values(store.texts("etl/run=r/users/"));
  const ids = files.flatMap((text) => text.trimEnd().split("\n").slice(1)).map((row) => row.split(",")[1]);
  assert.equal(new Set(ids).size, users.length);
  assert.is(ids.length, users.length);
  return rows;
}

test("a scan that has time and room writes one file", async () => {
  assert.equal(await scanAll(900_000, 1e9), [35]);
});

test("a scan stops after a page when its time is short, and goes on from there in the next file", async () => {
  assert.equal(await scanAll(59_000, 1e9), [10, 10, 10, 5]);
});

test("a scan stops when its file is full", async () => {
  // Text is encoded in pieces of 64 KiB: a file is never full before one of them is.
  const wide = users.map((user) => ({ ...user, GENDER: "x".repeat(900), MEMBERSHIP_ID: "y".repeat(1_000) }));
  const many = Array.from({ length: 10 }, (_, round) =>
    wide.map((user) => ({ ...user, USER_ID: `${user.USER_ID}-${round}` })),
  );
  const store = new MemoryStore();
  const tables = memoryTables({ user: many.flat(), item: [] });
  const task = await scan(first, store, tables, DEFINITIONS, { remaining: () => 900_000 }, { partBytes: 60_000 });
  assert.equal([task.done, task.part, task.start], [false, 1, { at: 40 }]);
});

test("a scan that is done is not done again", async () => {
  const done = { ...first, done: true };
  assert.is(
    await scan(done, new MemoryStore(), memoryTables({ user: users, item: [] }), DEFINITIONS, { remaining: () => 1 }),
    done,
  );
});

test("a group is written in segments and files of rejects of bounded size, each row once", async () => {
  const store = new MemoryStore();
  const lines = Array.from({ length: 500 }, (_, index) => (index % 5 ? eventLine(event(`e${index}`)) : "broken\n"));
  store.objects.set("a", Buffer.from(lines.join("")));
  const task = { task: "transform", run: "r", day: "2025-03-01", digest: "d", objects: ["a"] } as const;
  const options = { segmentBytes: 2_000, rejectsCharacters: 1_000 };
  const result = await transform({ ...task, objects: ["a"] }, store, DEFINITIONS, options);
  assert.equal([result.rows, result.rejected], [400, 100]);
  assert.ok(result.segments.length > 5 && result.rejects.length > 5);
  assert.ok(result.segments.every(({ key }) => (store.objects.get(key)?.length ?? 0) <= 2_000));
  const ids = result.segments
    .flatMap(({ key }) => store.text(key).split("\x1e").slice(0, -1))
    .map((row) => row.split("\x1f")[0]);
  assert.equal([ids.length, new Set(ids).size], [400, 400]);
  assert.is(
    result.rejects
      .map((key) => store.text(key))
      .join("")
      .trimEnd()
      .split("\n").length,
    100,
  );
});

test("an object that is gone since the plan is a reject, not a failure", async () => {
  const store = new MemoryStore();
  const task = { task: "transform" as const, run: "r", day: "2025-03-01", digest: "d", objects: ["gone"] };
  const result = await transform(task, store, DEFINITIONS);
  assert.is(result.rejected, 1);
  assert.match(store.text(result.rejects[0] ?? ""), "the object has been removed since the run was planned");
});

test.run();
