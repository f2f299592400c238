import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import type { Database } from "../../../../lib/platform/sql/database.ts";
import { readFile } from "../../../../lib/recommendation/etl/run-files.ts";
import { scan } from "../../../../lib/recommendation/etl/scan.ts";
import { withEngine } from "../../../../lib/recommendation/etl/sql.ts";
import { ScanTask, type Task } from "../../../../lib/recommendation/etl/tasks.ts";
import { transform } from "../../../../lib/recommendation/etl/transform.ts";
import { eventLine } from "../../../../lib/recommendation/records/layout.ts";
import { suite } from "../../../suite.ts";
import { MemoryStore, memoryTables } from "./memory.ts";
import { DEFINITIONS, event, LIMITS, USER } from "./run.ts";

const test = suite("ETL in pieces");

const users = Array.from({ length: 35 }, (_, index) => ({ ...USER, USER_ID: `U${index}` }));
const first: Task<"scan"> = {
  task: "scan",
  run: "r",
  dataset: "user",
  result: "etl/run=r/results/user-0000.json",
  segment: 0,
  of: 1,
  part: 0,
  start: null,
  rows: 0,
  rejected: 0,
  done: false,
};

/** Runs one call of a scan with its own engine. */
const scanOnce = (
  task: Task<"scan">,
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

/** Scans to the end. Returns the number of rows of each file. */
async function scanAll(remaining: number): Promise<number[]> {
  const store = new MemoryStore();
  for (let task = first; !task.done; ) task = await scanOnce(task, store, users, remaining);
  const result = await readFile(store, first.result, ScanTask);
  assert.is(result.rows, users.length);
  const files = Object.values(store.texts("etl/run=r/users/"));
  const ids = files.flatMap((text) => text.trimEnd().split("\n").slice(1)).map((row) => row.split(",")[1]);
  assert.equal(ids.sort(), users.map(({ USER_ID }) => `"${USER_ID}"`).sort());
  return files.map((text) => text.trimEnd().split("\n").length - 1);
}

test("a scan with enough time and room writes one file", async () => {
  assert.equal(await scanAll(900_000), [35]);
});

test("a scan stops after a page when little time is left, and resumes there in the next file", async () => {
  assert.equal(await scanAll(59_000), [10, 10, 10, 5]);
});

test("an invalid line sends only its own object of the group to the slow reader", async () => {
  const store = new MemoryStore();
  for (const key of ["a", "b", "c"]) store.objects.set(key, Buffer.from(eventLine(event(key))));
  store.objects.set("b", Buffer.from(`${eventLine(event("b"))}broken\n`));
  const slow: unknown[] = [];
  const { rows } = await withEngine(LIMITS, (engine) => {
    const watched: Database = {
      ...engine,
      fill: (table, work) =>
        engine.fill(table, (add) =>
          work((...cells) => {
            slow.push(cells[0]);
            add(...cells);
          }),
        ),
    };
    return transform({ ...group, objects: ["a", "b", "c"] }, store, DEFINITIONS, watched);
  });
  // The id of the event, and the source of the rejected line.
  assert.equal([slow, rows], [["b", "b"], 3]);
});

test("the state of a scan has the same size however many files it has written", async () => {
  const store = new MemoryStore();
  const sizes = new Set<number>();
  const many = Array.from({ length: 80 }, (_, index) => ({ ...USER, USER_ID: index % 5 ? `U${index}` : "" }));
  for (let task = { ...first, rows: 100, rejected: 100 }; !task.done; ) {
    task = await scanOnce(task, store, many, 59_000);
    if (!task.done) sizes.add(JSON.stringify(task).length);
  }
  assert.is(Object.keys(store.texts("etl/run=r/users/")).length, 8);
  assert.is(sizes.size, 1, `${[...sizes]}`);
});

test("a repeated call of a scan that finds nothing removes the files of the earlier attempt", async () => {
  const store = new MemoryStore();
  await scanOnce(first, store, [...users, { USER_ID: "" }]);
  await scanOnce(first, store, []);
  assert.equal(store.texts("etl/run=r/users/"), {});
  assert.equal(store.texts("etl/run=r/rejects/"), {});
});

test("a scan stops when its file is full", async () => {
  const task = await scanOnce(first, new MemoryStore(), users, 900_000, 1_300);
  assert.equal([task.done, task.part, task.start], [false, 1, { at: 20 }]);
});

const REJECT = `${JSON.stringify({ source: "b", line: 2, reason: "is not JSON", row: "broken" })}\n`;

const group: Task<"transform"> = {
  task: "transform",
  run: "r",
  result: "etl/days/2025-03-01/d-0001.json",
  objects: ["a"],
};
const transformed = (task: Task<"transform">, store: MemoryStore) =>
  withEngine(LIMITS, (engine) => transform(task, store, DEFINITIONS, engine));

test("a group is written to one file for each partition, each row once, and its rejects to a single file", async () => {
  const store = new MemoryStore();
  const lines = Array.from({ length: 500 }, (_, index) => (index % 5 ? eventLine(event(`e${index}`)) : "broken\n"));
  store.objects.set("a", Buffer.from(lines.join("")));
  const result = await transformed({ ...group, result: "etl/days/2025-03-01/d-0008.json" }, store);
  assert.equal(result, { rows: 400, rejected: 100 });
  assert.is(store.written.filter((key) => key.endsWith(".parquet")).length, 8);
  assert.is(store.text("etl/days/2025-03-01/d-0008.rejects.jsonl").trimEnd().split("\n").length, 100);
});

test("an invalid line in one object of a group changes no row or position of the others", async () => {
  const [first, last] = [eventLine(event("e1")), eventLine(event("e1", { ITEM_ID: "B2" }))];
  const refused = `${last}broken\n${eventLine(event("e2", { EVENT_VALUE: 0.1 + 0.2 }))}\n${eventLine(event("e3"))}`;
  const rows = async (objects: Record<string, string>) => {
    const store = new MemoryStore();
    for (const [key, text] of Object.entries(objects)) store.objects.set(key, Buffer.from(text));
    await transformed({ ...group, objects: Object.keys(objects) }, store);
    assert.is(store.text("etl/days/2025-03-01/d-0001.rejects.jsonl"), objects.b === refused ? REJECT : "");
    return withEngine(LIMITS, async (engine) => {
      const file = join(engine.folder, "written.parquet");
      writeFileSync(file, store.objects.get("etl/days/2025-03-01/d-0001-0000.parquet") ?? "");
      return engine.rows(`SELECT __id AS id, ITEM_ID AS item, __position >> 32 AS object FROM '${file}' ORDER BY ALL`);
    });
  };
  const found = await rows({ a: first, b: refused, c: last });
  assert.equal(found, [
    { id: "e1", item: "B1", object: 0n },
    { id: "e1", item: "B2", object: 1n },
    { id: "e1", item: "B2", object: 2n },
    { id: "e2", item: "B1", object: 1n },
    { id: "e3", item: "B1", object: 1n },
  ]);
  assert.equal(await rows({ a: first, b: refused.replace("broken\n", ""), c: last }), found);
});

test("an object removed since the plan is a reject, not a failure, and the others are read", async () => {
  const store = new MemoryStore();
  store.objects.set("b", Buffer.from(eventLine(event("e1"))));
  const result = await transformed({ ...group, objects: ["gone", "b"] }, store);
  assert.equal([result.rejected, result.rows], [1, 1]);
  assert.match(
    store.text("etl/days/2025-03-01/d-0001.rejects.jsonl"),
    "the object has been removed since the run was planned",
  );
});

test.run();
