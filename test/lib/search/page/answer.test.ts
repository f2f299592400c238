import * as assert from "uvu/assert";
import { ApiError } from "../../../../lib/platform/http/error.ts";
import { itemIdOf, objectIdsOf, readAnswer } from "../../../../lib/search/page/answer.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/run/answer");

const answer = (rest: object = {}) =>
  JSON.stringify({ took: 1, timed_out: false, _shards: { total: 2, failed: 0 }, hits: { hits: [] }, ...rest });

test("a complete answer is not partial", () => {
  assert.equal(readAnswer(answer()).partial, []);
});

test("failed shards are named with the cluster's reason", () => {
  const reason = { type: "query_shard_exception", reason: "No mapping found for [year]" };
  const _shards = { total: 5, successful: 3, failed: 2, failures: [{ shard: 0, reason }] };
  assert.equal(readAnswer(answer({ _shards })).partial, [
    {
      stage: "shards",
      target: "search_response",
      reason: "2 of 5 shards failed: query_shard_exception: No mapping found for [year]",
      effect: "hits, totals and aggregations are those of the other shards",
    },
  ]);
});

test("a search that timed out in the cluster is partial", () => {
  const { partial } = readAnswer(answer({ timed_out: true }));
  assert.equal(
    partial.map(({ stage }) => stage),
    ["timed_out"],
  );
});

for (const text of [
  "<html>",
  "null",
  "{}",
  '{"hits":{}}',
  answer({ hits: { hits: [null] } }),
  answer({ hits: { hits: {} } }),
  answer({ hits: { hits: [{ _id: 1 }] } }),
  answer({ hits: { hits: [{ _id: "a", _source: [] }] } }),
  answer({ hits: { hits: [], total: "1" } }),
  answer({ _shards: null }),
  answer({ timed_out: null }),
]) {
  test(`${text.slice(0, 90)} is not a search answer: upstream_failed, with the text as the cause`, () => {
    try {
      readAnswer(text);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, ApiError);
      assert.is((error as ApiError).code, "upstream_failed");
      assert.ok((error as ApiError).cause);
    }
  });
}

// Item ids of hits

const hit = (_source?: Record<string, unknown>, _id = "d1") => ({ _id, _score: 1, ...(_source && { _source }) });

for (const [what, source, field, id] of [
  ["_id", { isbn: "978" }, "_id", "d1"],
  ["a field", { isbn: "978" }, "isbn", "978"],
  ["a field of an object", { book: { isbn: "978" } }, "book.isbn", "978"],
  ["a field whose name has a dot", { "book.isbn": "978" }, "book.isbn", "978"],
  ["a whole number", { serial: 9_007_199_254_740_991 }, "serial", "9007199254740991"],
  ["none: a number that was rounded", { serial: 9_007_199_254_740_992 }, "serial", undefined],
  ["none: a fraction", { serial: 1.5 }, "serial", undefined],
  ["none: no such field", { title: "x" }, "isbn", undefined],
  ["none: a text on the way", { book: "x" }, "book.isbn", undefined],
  ["none: no _source", undefined, "isbn", undefined],
  ["none: an empty text", { isbn: "" }, "isbn", undefined],
  ["none: several values", { isbn: ["1", "2"] }, "isbn", undefined],
  ["256 characters", { isbn: "i".repeat(256) }, "isbn", "i".repeat(256)],
  ["none: 257 characters", { isbn: "i".repeat(257) }, "isbn", undefined],
] as ReadonlyArray<[string, Record<string, unknown> | undefined, string, string | undefined]>) {
  test(what, () => assert.is(itemIdOf(hit(source), field), id));
}

test("uses the field's values as ids, in order, when all hits have the field", () => {
  const hits = [hit({ isbn: "2" }, "b"), hit({ isbn: "1" }, "a")];
  assert.equal(objectIdsOf(hits, "isbn"), { field: "isbn", ids: ["2", "1"] });
});

test("uses _id for all hits when one lacks the field", () => {
  const hits = [hit({ isbn: "2" }, "b"), hit({}, "a")];
  assert.equal(objectIdsOf(hits, "isbn"), { field: "_id", ids: ["b", "a"] });
});

test("logs even an _id that is too long for the campaign", () => {
  const long = "i".repeat(300);
  assert.equal(objectIdsOf([hit({}, long)], "_id"), { field: "_id", ids: [long] });
});

test("returns no ids of the field when there are no hits", () => {
  assert.equal(objectIdsOf([], "isbn"), { field: "isbn", ids: [] });
});

test.run();
