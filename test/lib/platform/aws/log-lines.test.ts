import * as assert from "uvu/assert";
import { MAX_RECORD_BYTES, packBatches, packRecords } from "../../../../lib/platform/aws/log-lines.ts";
import { BATCH_LIMITS } from "../../../../lib/platform/aws/record-stream.ts";
import { suite } from "../../../suite.ts";

const test = suite("packed log lines");

test("fills a record up to its limit before it begins another", () => {
  const sizes = packRecords(["aaa", "bbb", "ccc", "ä"], 8).map((record) => record.length);
  assert.equal(sizes, [8, 7]);
});

test("keeps every line, in order, across records and batches", () => {
  const lines = Array.from({ length: 60 }, (_, n) => `${n}:${"x".repeat(199_000)}`);
  const batches = packBatches(packRecords(lines));
  assert.is(Buffer.concat(batches.flat()).toString(), lines.map((line) => `${line}\n`).join(""));
  assert.ok(batches.flat().every((record) => record.length <= MAX_RECORD_BYTES));
  assert.ok(batches.every((batch) => Buffer.concat(batch).length <= BATCH_LIMITS.bytes));
  assert.is(batches.length, 3);
});

test("puts at most 500 records into a batch", () => {
  const sizes = packBatches(Array.from({ length: 501 }, () => Buffer.from("x"))).map((batch) => batch.length);
  assert.equal(sizes, [BATCH_LIMITS.count, 1]);
});

test("returns no batches without lines", () => {
  assert.equal(packBatches(packRecords([])), []);
});

test.run();
