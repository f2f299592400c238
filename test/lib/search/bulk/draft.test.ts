import * as assert from "uvu/assert";
import { type Draft, join, NO_DOCUMENT, sendingOf } from "../../../../lib/search/bulk/draft.ts";
import { operationsOf, outlineOf } from "../../../../lib/search/bulk/operations.ts";
import type { BulkRequest } from "../../../../lib/search/bulk/request.ts";
import { suite } from "../../../suite.ts";
import { requestOf } from "./support.ts";

const test = suite("lines of a bulk call");

/** The lines that are sent for one operation. */
function lines(operation: BulkRequest["bulk_request"][number], rest: Partial<Draft> = {}): string[] {
  const { bytes, operations } = requestOf([operation]);
  const [parsed] = operations;
  if (!parsed) throw new Error("no operation");
  const guard = rest.guard ?? parsed.guard;
  const { lines } = sendingOf(bytes, { operation: parsed, changes: {}, ...rest, ...(guard && { guard }) });
  return join(lines).toString().trimEnd().split("\n");
}

test("an operation is sent with every field that the cluster takes", () => {
  assert.equal(lines({ id: "1", op: "index", doc: { a: 1 }, routing: "r/ä" }), [
    '{"index":{"_id":"1","routing":"r/ä"}}',
    '{"a":1}',
  ]);
  assert.equal(lines({ id: "1", op: "create", doc: {}, routing: "r" }), ['{"create":{"_id":"1","routing":"r"}}', "{}"]);
  assert.equal(lines({ id: "1", op: "delete", if_seq_no: 0, if_primary_term: 3 }), [
    '{"delete":{"_id":"1","if_seq_no":0,"if_primary_term":3}}',
  ]);
  assert.equal(lines({ id: "1", op: "index", doc: {}, version: 9_007_199_254_740_991, version_type: "external_gte" }), [
    '{"index":{"_id":"1","version":9007199254740991,"version_type":"external_gte"}}',
    "{}",
  ]);
  assert.equal(lines({ id: "1", op: "update", doc: { a: 1 }, doc_as_upsert: true }), [
    '{"update":{"_id":"1"}}',
    '{"doc":{"a":1},"doc_as_upsert":true}',
  ]);
  assert.equal(lines({ id: "1", op: "update", doc: {}, doc_as_upsert: false })[1], '{"doc":{}}');
});

test("an upsert whose embedding depends on the stored document is a create or an update, as the read decides", () => {
  const upsert = { id: "1", op: "update", doc: { a: 1 }, doc_as_upsert: true, routing: "r" } as const;
  assert.equal(lines(upsert, { guard: NO_DOCUMENT, changes: { v: "[1]" } }), [
    '{"create":{"_id":"1","routing":"r"}}',
    '{"a":1,"v":[1]}',
  ]);
  assert.equal(lines(upsert, { guard: { seqNo: 4, primaryTerm: 2 } }), [
    '{"update":{"_id":"1","routing":"r","if_seq_no":4,"if_primary_term":2}}',
    '{"doc":{"a":1}}',
  ]);
});

test("a multi-line document becomes one line, and every other byte stays", () => {
  const doc = '{\r\n "big": 9007199254740993,\n\t"text": "é\\n\\u00e9" , "one": 1.0\n}';
  const bytes = Buffer.from(`{"index":"i","bulk_request":[{"id":"1","op":"index","doc":${doc}}]}`);
  const [operation] = operationsOf([{ id: "1", op: "index" }], outlineOf(bytes)?.places ?? []);
  if (!operation) throw new Error("no operation");
  const sent = (changes: Draft["changes"]) => join(sendingOf(bytes, { operation, changes }).source ?? []).toString();
  const oneLine = '{   "big": 9007199254740993, \t"text": "é\\n\\u00e9" , "one": 1.0 }';
  assert.is(sent({}), oneLine);
  assert.is(sent({ v: Buffer.from("[0.50]") }), oneLine.replace(/}$/, ',"v":[0.50]}'));
});

test.run();
