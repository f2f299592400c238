import * as assert from "uvu/assert";
import { MAX_RESULT_BYTES } from "../../../../lib/platform/http/middleware.ts";
import {
  answerText,
  degradationsOf,
  echoOf,
  itemBound,
  ranges,
  requireFittingAnswer,
  serializedBytes,
  shortened,
} from "../../../../lib/search/bulk/answer.ts";
import type { Operation } from "../../../../lib/search/bulk/operations.ts";
import type { ItemResult } from "../../../../lib/search/bulk/send.ts";
import type { BulkTarget } from "../../../../lib/search/bulk/target.ts";
import { suite } from "../../../suite.ts";
import { bulkGateway, requestOf } from "./support.ts";

const test = suite("bulk answer");

const target: BulkTarget = { name: "i", readName: "i", itemIndex: "books-000001", mappings: [], onFailure: "fail" };
const item = (text: string, failed = false): ItemResult => ({ text, failed, status: failed ? 400 : 201 });

test("an item's length in the proxy result equals that of JSON.stringify", () => {
  const text = JSON.stringify({ a: 'é"\\\n\t', b: "😀\u2028", c: "\u0001" });
  assert.is(serializedBytes(text), Buffer.byteLength(JSON.stringify(text)) - 2);
});

test("no item is longer than its bound, neither the longest success nor a shortened error", () => {
  const big = Number.MAX_SAFE_INTEGER;
  const shards = { total: 2 ** 31 - 1, successful: 2 ** 31 - 1, failed: 2 ** 31 - 1 };
  for (const id of ["a", '"\\'.repeat(256), "é".repeat(256), "\u0001".repeat(512)]) {
    const operation: Operation = { position: 0, op: "delete", id, element: { start: 0, end: 0 } };
    const common = { _index: `${target.itemIndex}${"x".repeat(40)}`, _id: id };
    const success = {
      ...common,
      _version: big,
      result: "not_found",
      _shards: shards,
      _seq_no: big,
      _primary_term: big,
    };
    const written = `{"delete":${JSON.stringify({ ...success, status: 404 })}},`;
    assert.ok(serializedBytes(written) <= itemBound(operation, target), `success of ${serializedBytes(written)} bytes`);
    for (const reason of [
      "x".repeat(9_999),
      '"'.repeat(9_999),
      "😀".repeat(999),
      "\u0001".repeat(999),
      '\\n"é'.repeat(99),
    ]) {
      const error = { type: reason, reason, caused_by: { reason }, retryable: false };
      const short = shortened(item(JSON.stringify({ ...common, status: 503, error }), true));
      const bytes = serializedBytes(`{"delete":${short}},`);
      assert.ok(bytes <= itemBound(operation, target), `error of ${bytes} bytes`);
      assert.equal(Object.keys(JSON.parse(short)), ["_index", "_id", "status", "error"]);
    }
  }
});

test("an answer must have room for what degraded may say, where writes go on without embeddings", async () => {
  // All but a little of what an answer may have, so that the reasons of one field no longer fit.
  const bytes = Buffer.alloc(MAX_RESULT_BYTES - 20_000, "x");
  const operations: Operation[] = [{ position: 0, op: "index", id: "a", element: { start: 0, end: bytes.length } }];
  const request = { bytes, operations, body: { index: "i", refresh: false, bulk_request: [] } };
  const mapping = { embedding_field: "text_dense" } as BulkTarget["mappings"][number];
  const mapped: BulkTarget = { ...target, mappings: [mapping] };
  await requireFittingAnswer(request, mapped, undefined);
  const refused = await requireFittingAnswer(request, { ...mapped, onFailure: "degrade" }, undefined).catch(String);
  assert.match(String(refused), /could take/);
});

test("errors are passed on unchanged while they fit, and shortened when they do not", () => {
  const bulk_request = Array.from({ length: 5_000 }, (_, i) => ({ id: `d${i}`, op: "index" as const, doc: {} }));
  const { bytes, operations } = requestOf(bulk_request);
  const echo = echoOf({ body: { index: "i" }, bytes, operations });
  const results = (reason: string) =>
    new Map(
      operations.map(({ id }, i) => {
        const error = { type: "mapper_parsing_exception", reason, caused_by: { reason } };
        const failing = JSON.stringify({ _index: "i", _id: id, status: 400, error });
        return [operations[i] as Operation, item(failing, true)];
      }),
    );
  const short = answerText(echo, operations, results("small"), 1, []);
  assert.match(short, '"caused_by":{"reason":"small"}');
  const long = answerText(echo, operations, results("x".repeat(1_000)), 1, []);
  assert.ok(Buffer.byteLength(JSON.stringify(long)) < MAX_RESULT_BYTES);
  assert.is(JSON.parse(long).index_response.items.length, 5_000);
});

test("is 413 before the cluster is called when the answer might not fit, unless the client accepts gzip", async () => {
  // Nothing listens at this address: a call would be answered 503.
  const gateway = bulkGateway("http://127.0.0.1:1");
  const text = JSON.stringify({
    index: "i",
    bulk_request: Array.from({ length: 1_000 }, (_, i) => ({
      id: `d${i}`,
      op: "index",
      doc: { quotes: '"'.repeat(1_900) },
    })),
  });
  assert.ok(Buffer.byteLength(text) < 4 * 1024 * 1024);
  const refused = await gateway.send(text);
  assert.equal([refused.status, refused.body.error.code], [413, "payload_too_large"]);
  assert.match(refused.body.error.message, "at most 6291456 can be returned");
  assert.match(refused.body.error.message, "Split bulk_request into 3 requests");
  assert.match(refused.body.error.message, "Nothing has been written");
  const packed = await gateway.send(text, { headers: { "accept-encoding": "br, gzip" } });
  assert.is(packed.status, 503);
  const unsure = await gateway.send(text, { headers: { "accept-encoding": "gzip;q=0" } });
  assert.is(unsure.status, 413);
});

test("degraded has one entry for each field and reason, with positions as ranges", () => {
  const write = (position: number, field: string, reason: string) => ({
    operation: { position, op: "index" as const, id: "x", element: { start: 0, end: 0 } },
    field,
    reason,
  });
  const writes = [write(4, "v", "busy"), write(1, "v", "busy"), write(2, "v", "busy"), write(2, "w", "down")];
  assert.equal(degradationsOf(writes), [
    { stage: "embedding", target: "v", reason: "busy", effect: "stored without v: bulk_request 1-2, 4" },
    { stage: "embedding", target: "w", reason: "down", effect: "stored without w: bulk_request 2" },
  ]);
  const many = degradationsOf(Array.from({ length: 100 }, (_, i) => write(i, "v", `reason ${i}`)));
  assert.equal([many.length, many.at(-1)?.reason], [21, "other reasons"]);
});

test("positions are written as ranges", () => {
  assert.is(ranges([]), "");
  assert.is(ranges([0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8");
});

test.run();
