import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { batchesOf, eventIds, Occurrences } from "../../../../lib/recommendation/upload/files.ts";
import { suite } from "../../../suite.ts";

const test = suite("ids of uploaded events");

const ROW = { USER_ID: "U1", ITEM_ID: "B1", EVENT_TYPE: "view", TIMESTAMP: "1" };
const row = (change: object = {}) => Object.entries({ ...ROW, ...change });

test("the same file gives the same ids, whatever the order of its columns", () => {
  const rows = [row(), row({ ITEM_ID: "B2" }), row()];
  const first = rows.map(eventIds());
  assert.equal(rows.map((entries) => entries.toReversed()).map(eventIds()), first);
});

test("equal rows have different ids, by the number of earlier occurrences", () => {
  const idOf = eventIds();
  const ids = [row(), row(), row({ ITEM_ID: "B2" }), row()].map((entries) => idOf(entries));
  assert.is(new Set(ids).size, 4);
});

test("an undefined value counts as missing, and equal values of different columns differ", () => {
  const idOf = () => eventIds();
  assert.is(idOf()(row({ EVENT_VALUE: undefined })), idOf()(row()));
  assert.is.not(idOf()([["A", "1"]]), idOf()([["B", "1"]]));
});

test("ids are valid for EVENT_ID", () => {
  assert.match(eventIds()(row()), /^row-[\w-]{24}$/);
});

test("counts far beyond its initial size", () => {
  const occurrences = new Occurrences();
  const digest = (number: number) => createHash("sha256").update(String(number)).digest();
  const COUNT = 50_000;
  for (let number = 0; number < COUNT; number += 1) assert.is(occurrences.add(digest(number)), 1);
  for (let number = 0; number < COUNT; number += 1) assert.is(occurrences.add(digest(number)), 2);
  assert.is(occurrences.add(digest(0)), 3);
});

test("a digest that begins with zeros is counted like any other", () => {
  const occurrences = new Occurrences();
  assert.equal([occurrences.add(Buffer.alloc(32)), occurrences.add(Buffer.alloc(32))], [1, 2]);
});

test("numbers of a JSON file keep their text, and the ids of their events do not depend on it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "upload-"));
  const recordsOf = async (text: string) => {
    const file = join(folder, "events.json");
    writeFileSync(file, text);
    const records = [];
    for await (const batch of batchesOf("interaction", file)) records.push(...batch.map(({ record }) => record));
    return records;
  };
  const [record] = await recordsOf('[{"YEAR": 2008.0, "BIG": 12345678901234567890, "N": 5, "L": [1.0, 2]}]');
  assert.equal([record?.YEAR, record?.BIG, record?.N, record?.L], ["2008.0", "12345678901234567890", 5, "1.0|2"]);
  const [plain] = await recordsOf('{"YEAR": 2008, "BIG": 12345678901234567000, "N": 5, "L": "1.0|2"}');
  rmSync(folder, { recursive: true });
  assert.is(record?.EVENT_ID, plain?.EVENT_ID);
});

test.run();
