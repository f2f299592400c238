import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { recallAt, recallReport } from "../../evaluation/recall.ts";

const test = suite("recall of an approximate search");

test("counts the exact hits that were found, at any rank", () => {
  assert.is(recallAt(["a", "b", "c", "d"], ["d", "x", "b", "a"], 4), 0.75);
  assert.is(recallAt(["a", "b"], ["b", "a"], 1), 0);
  assert.is(recallAt(["a"], ["a", "b"], 10), 1, "fewer documents than asked for are all there are");
});

test("means are over queries that exact search answers, and nDCG over judged ones", () => {
  const pair = (query: string, exact: string[], approximate: string[]) => ({
    query,
    exact: { ranking: exact, milliseconds: 8 },
    approximate: { ranking: approximate, milliseconds: 2 },
  });
  const pairs = [pair("one", ["a", "b"], ["a", "c"]), pair("two", ["a"], ["a"]), pair("none", [], ["a"])];
  const report = recallReport(pairs, 2, new Map([["one", new Map([["b", 1]])]]));
  assert.is(report?.queries, 2);
  assert.is(report?.recall.mean, 0.75);
  assert.equal(report?.milliseconds, { exact: 8, approximate: 2 });
  assert.is(report?.ndcg?.queries, 1);
  assert.is(report?.ndcg?.approximate, 0);
  assert.ok((report?.ndcg?.exact ?? 0) > 0.6);
  assert.is(recallReport([pair("none", [], [])], 10), undefined);
});

test.run();
