import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { evaluate, verdictText } from "../../evaluation/evaluate.ts";
import { judgmentsOf } from "../../judgments/judgments.ts";
import { metricOf } from "../../metrics/metric.ts";

const test = suite("verdicts");

/** Evaluates settings by the rank of the one relevant document, which is 2 but for the given queries. */
function evaluated(queries: number, settings: Readonly<Record<string, { better?: number; worse?: number }>>) {
  const names = Array.from({ length: queries }, (_, query) => `q${query}`);
  const judgments = judgmentsOf(names.map((query) => ({ query, document: "yes", grade: 1 })));
  const metric = metricOf("mrr@10");
  assert.ok(metric);
  const runs = Object.entries(settings).map(([name, { better = 0, worse = 0 }]) => ({
    name,
    runs: names.map((_, query) => ({
      ranking: query < better ? ["yes"] : query < better + worse ? ["a", "b", "c", "yes"] : ["a", "yes"],
      milliseconds: 1,
      degraded: [],
    })),
  }));
  return evaluate(names, runs, judgments, [metric]);
}

test("a setting that wins is named although another one differs in one query", () => {
  const { verdict } = evaluated(60, { default: {}, near: { better: 1 }, good: { better: 30 } });
  assert.equal(verdict, { best: "good", better: ["good"], worse: [] });
});

test("fewer than six queries that differ are no verdict, and the sentence says so", () => {
  const evaluation = evaluated(60, { default: {}, near: { better: 5 }, same: {} });
  assert.equal(evaluation.verdict.better, []);
  assert.is(
    verdictText(evaluation),
    "No setting beats default by more than noise. near differs in 5 of 60 queries, too few for any verdict.",
  );
});

test("one query, or the same difference in a few, is no verdict", () => {
  for (const queries of [1, 2, 3, 5]) {
    assert.equal(evaluated(queries, { default: {}, better: { better: queries } }).verdict.better, []);
  }
  assert.equal(evaluated(20, { default: {}, better: { better: 20 } }).verdict.better, ["better"]);
});

test.run();
