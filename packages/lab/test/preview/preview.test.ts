import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { evaluate, type Run } from "../../evaluation/evaluate.ts";
import { gatewayCall } from "../../evaluation/settings-file.ts";
import { type Metric, metricOf } from "../../metrics/metric.ts";
import { previewOf } from "../../preview/preview.ts";
import { previewText } from "../../preview/sentences.ts";

const test = suite("previews of a change");

const TWO = metricOf("ndcg@2") as Metric;
const run = (ranking: string[], more: Partial<Run> = {}): Run => ({ ranking, milliseconds: 1, degraded: [], ...more });

/** Compares what each text finds before and after; `judged` are grades by text and document. */
function compare(
  found: Record<string, [before: Run, after: Run]>,
  judged: Record<string, Record<string, number>>,
  metric = TWO,
) {
  const queries = Object.keys(found).map((text) => ({ id: text, text }));
  const judgments = new Map(Object.entries(judged).map(([id, grades]) => [id, new Map(Object.entries(grades))]));
  const runs = (side: 0 | 1, texts: readonly string[]) => texts.map((text) => found[text]?.[side] as Run);
  const ids = queries.flatMap(({ id }) => (judgments.has(id) ? [id] : []));
  const settings = [
    { name: "before", runs: runs(0, ids) },
    { name: "after", runs: runs(1, ids) },
  ];
  return previewOf({
    ...{ names: ["before", "after"], queries, metric, judgments },
    before: runs(0, Object.keys(found)),
    after: runs(1, Object.keys(found)),
    evaluation: ids.length > 0 ? evaluate(ids, settings, judgments, [metric]) : null,
  });
}

test("tells better from worse where enough is judged, and no more than that it changed elsewhere", () => {
  const preview = compare(
    {
      up: [run(["a", "b"]), run(["b", "a"])],
      down: [run(["b", "a"]), run(["a", "b"])],
      guess: [run(["a", "b"]), run(["b", "x"])],
      new: [run(["a"]), run(["a", "c"])],
      same: [run(["a", "b", "c"]), run(["a", "b", "d"])],
    },
    { up: { a: 0, b: 3 }, down: { a: 0, b: 3 }, guess: { a: 0, b: 3 } },
  );
  assert.equal(
    preview.queries.map(({ outcome }) => outcome),
    ["better", "worse", "changed", "changed", "unchanged"],
  );
  assert.equal(preview.totals, { better: 1, worse: 1, changed: 2, unchanged: 1 });
  const [up, , guess, fresh] = preview.queries;
  assert.equal([up?.moved, up?.entered, guess?.entered, guess?.left], [true, [], ["x"], ["a"]]);
  assert.equal([fresh?.before, fresh?.entered], [null, ["c"]]);
  assert.match(previewText(preview), /^Of 5 queries: 1 better, 1 worse, 2 changed, 1 unchanged\. "Changed" are/);
});

test("a query is not worse because nobody has judged a hit that came in", () => {
  const found: Record<string, [Run, Run]> = { one: [run(["a", "b", "c"]), run(["a", "x", "b"])] };
  const grades = { a: 3, b: 2, c: 0 };
  const outcome = (judged: Record<string, number>) =>
    compare(found, { one: judged }, metricOf("ndcg@3") as Metric).queries[0]?.outcome;
  assert.is(outcome(grades), "changed");
  assert.is(outcome({ ...grades, x: 0 }), "worse");
});

test("never gives a verdict on what nobody has judged", () => {
  const found = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`q${at}`, [run(["a", "x"]), run(["b", "y"])] as [Run, Run]]),
  );
  const judged = Object.fromEntries(Object.keys(found).map((text) => [text, { b: 3, c: 0 }]));
  const preview = compare(found, judged);
  assert.is(preview.totals.changed, 30);
  assert.match(previewText(preview), /No verdict on after: 50 % of its hits are judged and 0 % of those of before\./);
  assert.match(previewText(compare(found, {})), /No query is judged, so nobody measured it\.$/);
});

test("sees a banner, and says how many answers lack the change", () => {
  const preview = compare(
    {
      sale: [run(["a"]), run(["a"], { told: [{ data: { banner: "Sale" } }], degraded: ["rules", "rules"] })],
      other: [run(["a"]), run(["a"])],
    },
    {},
  );
  assert.equal([preview.queries[0]?.outcome, preview.queries[0]?.told], ["changed", true]);
  assert.equal(preview.warnings, ["1 of 2 answers of after were made without rules"]);
});

test("a setting searches with a draft of rules, and with synonyms that are not in use", () => {
  const setting = {
    name: "s",
    settings: {},
    rule_set: "draft" as const,
    segments: ["vip"],
    synonym_rules: ["tv => television"],
  };
  const file = { index: "a", settings: [] };
  const query = { id: "tv", text: "tv", userId: undefined };
  const keyword = { match: { title: { query: "[search_query]" } } };
  const plain = gatewayCall(file, { ...setting, search_request: { query: keyword } }, query, 10).body;
  const queries = [{ match: { title: { query: "tv" } } }, { match: { title: { query: "television" } } }];
  assert.equal([plain.rule_set, plain.segments, plain.synonyms], ["draft", ["vip"], false]);
  assert.equal(plain.search_request, { query: { dis_max: { queries } }, size: 10 });
  const template = { query: { hybrid: { queries: [keyword, { knn: { v: { vector: "[v]" } } }] } } };
  const { search_request_template } = gatewayCall(file, { ...setting, template }, query, 10).body;
  const rewritten = { hybrid: { queries: [{ dis_max: { queries } }, { knn: { v: { vector: "[v]" } } }] } };
  assert.equal(search_request_template, { query: rewritten, size: 10 });
});

test.run();
