import * as assert from "uvu/assert";
import { importProgress, progressText } from "../../../cli/gateway/index-runs.ts";
import { suite } from "../../suite.ts";

const test = suite("progress of runs");

const tally = { read: 90, written: 90, unchanged: 0, rejected: 0, deleted: 0 };

test("percentages of a rebuild are those of the documents that it counts, though a part before them is not done", () => {
  const of = (copied: number, verified: number, ahead?: number) => {
    const shards = { 0: { mark: 99, copied, verified, ...(ahead !== undefined && { ahead }) } };
    return progressText({ passes: 0, shards, tally } as never);
  };
  assert.match(of(-1, -1, 90), "pass 1: 90% copied, 0% verified; 90 read");
  assert.match(of(49, -1), "50% copied, 0% verified");
  assert.match(of(99, -1, 30), "100% copied, 30% verified");
  assert.match(of(99, 99, 0), "100% copied, 100% verified");
});

test("an import tells how much content its counted documents are", () => {
  const record = { next: { slice: 0, file: 0, offset: 0 }, files: 2, bytes: 14_680_064, tally };
  assert.match(importProgress(record as never), "file 1 of 2, 14.7 MB done; 90 read");
});

test.run();
