import * as assert from "uvu/assert";
import { ApiError } from "../../../../../lib/core/http/error.ts";
import { readAnswer } from "../../../../../lib/search/api/search/answer.ts";
import { suite } from "../../../../suite.ts";

const test = suite("lib/search/api/search/answer");

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

test.run();
