import * as assert from "uvu/assert";
import { chunksOf, join } from "../../../../lib/search/bulk/draft.ts";
import type { BulkTarget } from "../../../../lib/search/bulk/target.ts";
import { createLookahead, windowsOf } from "../../../../lib/search/bulk/windows.ts";
import { suite } from "../../../suite.ts";
import { mappedIndex, requestOf } from "./support.ts";

const test = suite("bulk windows and chunks");

const mappings = mappedIndex("i").embedding_mappings.map((one) => ({ ...one, embedder: one.model_name }));
const target: BulkTarget = { name: "i", readName: "i", itemIndex: "i", mappings, onFailure: "fail" };
const request = (ids: readonly string[], pad = 0) =>
  requestOf(ids.map((id) => ({ id, op: "index" as const, doc: { title: "x".repeat(pad) } })));
const distinct = (count: number) => Array.from({ length: count }, (_, i) => `d${i}`);

test("windows hold about one body with its embeddings, of one round, and together all operations in order", () => {
  const { operations } = request(distinct(2_000));
  const maxBytes = 8 * 1024 * 1024;
  const windows = windowsOf(operations, target, maxBytes);
  assert.ok(windows.length >= 4 && windows.length <= 6, `${windows.length} windows`);
  assert.ok(windows.every(({ bytes }) => bytes <= maxBytes));
  assert.equal(
    windows.flatMap((window) => window.operations.map(({ position }) => position)),
    operations.map(({ position }) => position),
  );
  assert.is(windowsOf(request(["a", "a", "b"]).operations, target, maxBytes).length, 2);
});

test("embeddings start for the current window and for at most one body's worth after it", () => {
  const maxBytes = 1_000;
  const windows = Array.from({ length: 10 }, (_, i) => ({
    operations: [{ position: i, op: "index" as const, id: `${i}`, element: { start: 0, end: 0 } }],
    bytes: 400,
  }));
  const started: number[][] = [];
  const startAhead = createLookahead(windows, maxBytes, (list) => started.push(list.map(({ position }) => position)));
  startAhead(0);
  assert.equal(started, [[0, 1]]);
  startAhead(1);
  assert.equal(started.at(-1), [2]);
  for (let i = 1; i < windows.length; i += 1) {
    startAhead(i);
    startAhead(i + 1);
    const ahead = started.flat().filter((position) => position > i).length * 400;
    assert.ok(started.flat().includes(i), `window ${i} is started when it is due`);
    assert.ok(ahead <= maxBytes, `${ahead} bytes ahead`);
  }
  assert.equal(
    started.flat(),
    windows.map((_, i) => i),
    "each once, in order",
  );
});

test("many short rounds are embedded in batches, not one by one", () => {
  const windows = Array.from({ length: 1_000 }, (_, i) => ({
    operations: [{ position: i, op: "update" as const, id: "same", element: { start: 0, end: 0 } }],
    bytes: 10,
  }));
  let calls = 0;
  const startAhead = createLookahead(windows, 1_000, () => {
    calls += 1;
  });
  for (let i = 0; i < windows.length; i += 1) {
    startAhead(i);
    startAhead(i + 1);
  }
  assert.ok(calls <= 25, `${calls} calls`);
});

test("chunks stay within the limit, a larger document has its own chunk, and nothing is lost", () => {
  const { bytes, operations } = request(distinct(50), 100);
  const drafts = operations.map((operation, i) => ({
    operation,
    changes: i === 20 ? { big: `"${"y".repeat(900)}"` } : {},
  }));
  const chunks = [...chunksOf(bytes, drafts, 500)].map((chunk) => chunk.map(({ lines }) => join(lines)));
  for (const chunk of chunks) assert.ok(chunk.length === 1 || Buffer.concat(chunk).length <= 500);
  assert.is(chunks.flat().length, 50);
  assert.ok(chunks.filter(({ length }) => length > 1).length > 10);
});

test("only one chunk's lines exist at a time", () => {
  const { bytes, operations } = request(distinct(100), 100);
  let made = 0;
  const drafts = operations.map((operation) => ({
    operation,
    get changes() {
      made += 1;
      return {};
    },
  }));
  const [first = []] = [chunksOf(bytes, drafts, 500).next().value ?? []];
  assert.ok(made <= first.length + 1, `${made} documents were made for ${first.length}`);
});

test.run();
