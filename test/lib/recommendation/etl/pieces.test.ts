import * as assert from "uvu/assert";
import { withEngine } from "../../../../lib/recommendation/etl/engine.ts";
import {
  readFile,
  ScanResult,
  type ScanTask,
  type TransformTask,
} from "../../../../lib/recommendation/etl/run-files.ts";
import { scan } from "../../../../lib/recommendation/etl/scan.ts";
import { transform } from "../../../../lib/recommendation/etl/transform.ts";
import { eventLine } from "../../../../lib/recommendation/records/stored-event.ts";
import { suite } from "../../../suite.ts";
import { MemoryStore, memoryTables } from "./memory.ts";
import { DEFINITIONS, event, LIMITS, USER } from "./run.ts";

const test = suite("ETL in pieces");

const users = Array.from({ length: 35 }, (_, index) => ({ ...USER, USER_ID: `U${index}` }));
const first: ScanTask = {
  task: "scan",
  run: "r",
  dataset: "user",
  result: "etl/run=r/results/user-0000.json",
  segment: 0,
  of: 1,
  part: 0,
  start: null,
  written: { files: [], rows: 0, rejected: 0, rejects: [] },
  done: false,
};

/** Runs one call of a scan with an engine of its own. */
const scanOnce = (
  task: ScanTask,
  store: MemoryStore,
  records: Parameters<typeof memoryTables>[0]["user"],
  remaining = 900_000,
  fileCharacters = 1e9,
) =>
  withEngine(LIMITS, (engine) =>
    scan(
      task,
      store,
      memoryTables({ user: records, item: [] }),
      DEFINITIONS,
      engine,
      { remaining: () => remaining },
      { fileCharacters },
    ),
  );

/** Scans to the end; gives the rows of each file. */
async function scanAll(remaining: number): Promise<number[]> {
  const store = new MemoryStore();
  for (let task = first; !task.done; ) task = await scanOnce(task, store, users, remaining);
  const result = await readFile(store, first.result, ScanResult);
  assert.is(result.rows, users.length);
  const files = Object.values(store.texts("etl/run=r/users/"));
  const ids = files.flatMap((text) => text.trimEnd().split("\n").slice(1)).map((row) => row.split(",")[1]);
  assert.equal(new Set(ids).size, users.length);
  assert.is(ids.length, users.length);
  return result.files.map(({ rows }) => rows);
}

test("a scan that has time and room writes one file", async () => {
  assert.equal(await scanAll(900_000), [35]);
});

test("a scan stops after a page when its time is short, and goes on from there in the next file", async () => {
  assert.equal(await scanAll(59_000), [10, 10, 10, 5]);
});

test("a scan stops when its file is full", async () => {
  const task = await scanOnce(first, new MemoryStore(), users, 900_000, 1_300);
  assert.equal([task.done, task.part, task.start], [false, 1, { at: 20 }]);
});

const group: TransformTask = {
  task: "transform",
  run: "r",
  result: "etl/days/2025-03-01/d.json",
  objects: ["a"],
  of: 1,
};
const transformed = (task: TransformTask, store: MemoryStore) =>
  withEngine(LIMITS, (engine) => transform(task, store, DEFINITIONS, engine));

test("a group is written in as many files as partitions, each row once, and its rejects in one", async () => {
  const store = new MemoryStore();
  const lines = Array.from({ length: 500 }, (_, index) => (index % 5 ? eventLine(event(`e${index}`)) : "broken\n"));
  store.objects.set("a", Buffer.from(lines.join("")));
  const result = await transformed({ ...group, of: 8 }, store);
  assert.equal([result.rows, result.rejected, result.files.length], [400, 100, 8]);
  assert.equal(
    result.files.map(({ partition }) => partition),
    [0, 1, 2, 3, 4, 5, 6, 7],
  );
  assert.is(
    result.rejects
      .map((key) => store.text(key))
      .join("")
      .trimEnd()
      .split("\n").length,
    100,
  );
});

test("an object that is gone since the plan is a reject, not a failure, and the others are read", async () => {
  const store = new MemoryStore();
  store.objects.set("b", Buffer.from(eventLine(event("e1"))));
  const result = await transformed({ ...group, objects: ["gone", "b"] }, store);
  assert.equal([result.rejected, result.rows], [1, 1]);
  assert.match(store.text(result.rejects[0] ?? ""), "the object has been removed since the run was planned");
});

test.run();
