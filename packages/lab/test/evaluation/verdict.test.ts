import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { type AboutJudgments, evaluate } from "../../evaluation/evaluate.ts";
import { htmlReport } from "../../evaluation/html.ts";
import { type AnySearchAnswer, readRun } from "../../evaluation/searches.ts";
import { verdictText } from "../../evaluation/sentences.ts";
import { degradedTexts } from "../../evaluation/text.ts";
import { judgmentsOf } from "../../judgments/judgments.ts";
import { type Metric, metricOf } from "../../metrics/metric.ts";

const test = suite("verdicts");

/** Evaluates settings by the rank of the one relevant document, which is 2 but for the given queries. */
function evaluated(
  queries: number,
  settings: Readonly<Record<string, { better?: number; worse?: number }>>,
  about: AboutJudgments = {},
) {
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
  return evaluate(names, runs, judgments, [metric], about);
}

test("a setting that wins is named although another one differs in one query", () => {
  const { verdict } = evaluated(60, { default: {}, near: { better: 1 }, good: { better: 30 } });
  assert.equal([verdict.best, verdict.better, verdict.worse], ["good", ["good"], []]);
});

test("fewer than six queries that differ are no verdict, and the sentence says so", () => {
  const evaluation = evaluated(60, { default: {}, near: { better: 5 }, same: {} });
  assert.equal(evaluation.verdict.better, []);
  assert.is(
    verdictText(evaluation),
    "No setting beats default by more than noise. near differs in 5 of 60 queries, too few for any verdict. same " +
      "has the mrr@10 of default in every query. From 60 queries. The judgments list relevant documents only, so every other document counts as " +
      "not relevant.",
  );
});

test("says why answers of a setting were degraded", () => {
  const run = readRun({
    body: {
      search_response: { hits: { hits: [] } },
      degraded: [{ stage: "rerank", target: "search_response", reason: "no rerank", effect: "as before" }],
    } as unknown as AnySearchAnswer,
    milliseconds: 1,
  });
  const settings = [{ name: "reranked", runs: [run] }];
  const evaluation = evaluate(["q"], settings, judgmentsOf([{ query: "q", document: "d", grade: 1 }]), [
    metricOf("mrr@10") as Metric,
  ]);
  assert.equal(degradedTexts(evaluation), ["reranked: 1 answers were degraded. The first, rerank: no rerank"]);
});

test("one query, or the same difference in a few, is no verdict", () => {
  for (const queries of [1, 2, 3, 5]) {
    assert.equal(evaluated(queries, { default: {}, better: { better: queries } }).verdict.better, []);
  }
  assert.equal(evaluated(20, { default: {}, better: { better: 20 } }).verdict.better, ["better"]);
});

test("losers are named as well as winners, with what the verdict rests on", () => {
  const evaluation = evaluated(
    60,
    { default: {}, good: { better: 30 }, bad: { worse: 30 } },
    { origins: { people: 60 } },
  );
  assert.equal([evaluation.verdict.better, evaluation.verdict.worse], [["good"], ["bad"]]);
  assert.match(
    verdictText(evaluation),
    /^good beats default by 0\.2500 mrr@10 \(95 % interval .*\)\. bad is worse than default by 0\.1250 mrr@10 \(95 % interval 0\.0\d+ to 0\.1\d+\)\. From 60 queries\. The judgments by people list .* A difference of 0\.0\d+ would have shown with 80 % probability\.$/,
  );
});

test("there is no interval of fewer than six queries, neither of a mean nor of a difference", () => {
  const alone = (queries: number) => verdictText(evaluated(queries, { default: {} }));
  assert.match(alone(5), "mrr@10 of default is 0.5000 (without an interval, which needs 6 queries).");
  assert.match(alone(6), /mrr@10 of default is 0\.5000 \(95 % interval 0\.\d+ to 0\.\d+\)/);
  const page = (queries: number) =>
    htmlReport(evaluated(queries, { default: {}, other: { better: queries } }), "Evaluation");
  assert.not.match(page(5), /\d \(-?\d\.\d+ to|with 95 % intervals/);
  assert.match(page(6), /\d \(-?\d\.\d+ to/);
});

/** Evaluates two settings whose hits are judged in part: the first query's documents are d0, d1, … in the given orders. */
function partly(judged: readonly number[], rankings: Readonly<Record<string, readonly number[]>>) {
  const names = Array.from({ length: 60 }, (_, query) => `q${query}`);
  const judgments = judgmentsOf(
    names.flatMap((query) => judged.map((grade, document) => ({ query, document: `d${document}`, grade }))),
  );
  const metric = metricOf("ndcg@10");
  assert.ok(metric);
  const runs = Object.entries(rankings).map(([name, ids]) => ({
    name,
    // Queries must differ a little, or every interval has no width.
    runs: names.map((_, query) => {
      const ranking = ids.map((id) => `d${id}`);
      return { ranking: query % 5 === 0 ? ranking.reverse() : ranking, milliseconds: 1, degraded: [] };
    }),
  }));
  return evaluate(names, runs, judgments, [metric], { origins: { clicks: 1 } });
}

test("a setting of which little is judged gets no verdict, and the sentence says what would allow one", () => {
  const evaluation = partly([3, 2, 0, 0, 1], { live: [0, 1, 2, 3, 4], fresh: [9, 8, 7, 0, 6] });
  assert.equal([evaluation.verdict.better, evaluation.verdict.worse], [[], []]);
  assert.match(
    verdictText(evaluation),
    "No verdict on fresh: 20 % of its hits are judged and 100 % of those of live. It needs 60 %: judge 120 more of the " +
      "first hits of fresh. From 60 queries. Of the first hits, 20 % to 100 % are judged by clicks.",
  );
  // Both settings may lack judgments, and share no hit.
  assert.match(
    verdictText(partly([3, 2], { live: [0, 1, 2, 3, 4], fresh: [9, 8, 7, 0, 6] })),
    "It needs 60 %: judge 120 more of the first hits of fresh and 60 more of the first hits of live.",
  );
});

test("settings that differ in their judged share need both ways of counting, which bracket the truth", () => {
  // Without d9, which nobody has judged, fresh has the better order; with d9 as not relevant it is worse.
  const split = partly([3, 2, 0, 0, 1], { live: [0, 1, 2, 3, 4], fresh: [9, 0, 1, 4, 2] });
  assert.equal([split.verdict.better, split.verdict.worse], [[], []]);
  assert.match(verdictText(split), "and what is not judged decides which of the two is better. Judge the rest.");
  const clear = partly([0, 0, 1, 2, 3], { live: [0, 1, 2, 3, 4], fresh: [4, 3, 9, 2, 0] });
  assert.equal(clear.verdict.better, ["fresh"]);
  assert.match(verdictText(clear), /^fresh beats live by .*; 0\.\d+ counting judged documents only\)/);
});

test("judgments of relevant documents only say that all others are not relevant; clicks never do", () => {
  const known = evaluated(60, { default: {}, good: { better: 30 } });
  assert.is(known.isComplete, true);
  assert.is(evaluated(60, { default: {}, good: { better: 30 } }, { origins: { clicks: 60 } }).isComplete, false);
});

test.run();
