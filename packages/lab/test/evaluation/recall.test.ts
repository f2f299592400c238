import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { recallAt, recallReport } from "../../evaluation/recall.ts";

const test = suite("recall of an approximate search");

const scored = (...ranking: string[]) => ({ ranking, scores: ranking.map((_, at) => 1 - at / 100) });

test("counts the exact hits that were found, at any rank", () => {
  assert.is(recallAt(scored("a", "b", "c", "d", "x"), ["d", "x", "b", "a"], 4), 0.75);
  assert.is(recallAt(scored("a", "b"), ["b", "a"], 1), 0);
  assert.is(recallAt(scored("a"), ["a", "b"], 10), 1, "fewer documents than asked for are all there are");
});

test("counts any of the documents that are as near as the last one", () => {
  const exact = { ranking: ["a", "b", "c", "d", "e"], scores: [1, 0.5, 0.5, 0.5, 0.4] };
  assert.is(recallAt(exact, ["a", "d"], 2), 1);
  assert.is(recallAt(exact, ["c", "d"], 2), 1, "either way two of the nearest");
  assert.is(recallAt(exact, ["a", "e"], 2), 0.5);
  assert.is(recallAt(exact, ["b"], 1), 0);
});

test("means are over queries that exact search answers, and nDCG over judged ones", () => {
  const pair = (query: string, exact: string[], approximate: string[]) => ({
    query,
    exact: { ...scored(...exact), milliseconds: 8 },
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
