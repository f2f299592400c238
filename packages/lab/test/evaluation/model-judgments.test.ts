import { type Interval, meanInterval, simultaneousIntervals } from "@relevance/lib/platform/statistics/bootstrap.ts";
import { seeded } from "@relevance/lib/platform/statistics/random.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { intervalsOf, type Measured } from "../../evaluation/correction.ts";
import { type AboutJudgments, evaluate } from "../../evaluation/evaluate.ts";
import { htmlReport } from "../../evaluation/html.ts";
import { verdictText } from "../../evaluation/sentences.ts";
import { type Judgment, judgmentsOf } from "../../judgments/judgments.ts";
import { checkedIn, modelCheck } from "../../judgments/model-check.ts";
import { metricOf } from "../../metrics/metric.ts";
import { coverage, drawn, population } from "./simulated-judge.ts";

const test = suite("verdicts on judgments of a language model");

const OTHER = { quality: 1.2, shared: 0.3 };

test("cover what people would say, although the model favours the setting in use", () => {
  const of = population({ lean: 0.8, noise: 0.5 }, OTHER, 2_000);
  const rounds = 400;
  const found = coverage(of, { queries: 60, checked: 20, rounds });
  assert.ok(found.covered >= 0.95 * rounds, `${found.covered} of ${rounds}`);
  // The simulation has what the correction is for, something is found, and no width is wasted.
  assert.is(found.coveredAlone, 0);
  assert.is(found.wrong, 0);
  assert.ok(found.clear > rounds / 2, `${found.clear} of ${rounds}`);
  assert.ok(found.width < 1.25 * found.widthByPeople, `${found.width}, by people ${found.widthByPeople}`);
});

test("become those of people's judgments as people check more, however wild the model is", () => {
  const of = population({ lean: 0, noise: 5 }, OTHER, 400);
  const random = seeded(4);
  const plainOf = ({ values }: Measured) => simultaneousIntervals(values);
  const all = drawn(of, 200, 200, random);
  assert.equal(intervalsOf(all), plainOf(all));
  const width = ([interval]: readonly Interval[]) => (interval ? interval.high - interval.low : Number.NaN);
  const people = drawn(of, 200, 200, random);
  const most = {
    ...people,
    sample: people.sample.slice(0, 198),
    errors: people.errors?.map((own) => own.slice(0, 198)),
  };
  assert.ok(width(intervalsOf(most)) < 1.1 * width(plainOf(people)), `${width(intervalsOf(most))}`);
});

const QUERIES = Array.from({ length: 40 }, (_, query) => `q${query}`);

/**
 * Evaluates `old`, which shows a before b, and `new`, which shows b before a. The model prefers a in every query; people
 * prefer b in those that they judged.
 */
function evaluated(judgedBy: (query: string, place: number) => boolean, name = "ndcg@10") {
  const order = modelCheck(QUERIES.map((query) => row(query, "a", 0, "model")))?.order ?? [];
  const rows = QUERIES.flatMap((query, number): Judgment[] => {
    const better = number % 8 === 0 ? "a" : "b";
    const byModel = [row(query, "a", 3, "model"), row(query, "b", number % 3 === 0 ? 1 : 0, "model")];
    const byPeople = ["a", "b"].map((document) => row(query, document, document === better ? 3 : 0, "people"));
    return judgedBy(query, order.indexOf(query)) ? [...byModel, ...byPeople] : byModel;
  });
  const metric = metricOf(name);
  assert.ok(metric);
  const runsOf = (ranking: string[]) => QUERIES.map(() => ({ ranking, milliseconds: 1, degraded: [] }));
  const settings = [
    { name: "old", runs: runsOf(["a", "b"]) },
    { name: "new", runs: runsOf(["b", "a"]) },
  ];
  const about: AboutJudgments = { origins: { model: 80 }, check: modelCheck(rows) };
  return evaluate(QUERIES, settings, judgmentsOf(rows), [metric], about);
}

const row = (query: string, document: string, grade: number, origin: "model" | "people"): Judgment => ({
  ...{ query, document, grade, origin },
});

test("are not given while nobody has checked the model, or too few have", () => {
  const alone = evaluated(() => false);
  assert.is(alone.verdict.comparisons[0]?.finding, "unchecked");
  assert.match(
    verdictText(alone),
    "No verdict on new: people have checked 0 of the language model's queries, and a verdict needs 20, so 20 more. Judge the queries " +
      "that Judge of the console proposes. From 40 queries, which show only large differences. Of the first hits, 100 % " +
      "are judged by a language model. Nobody has checked the language model, so its error is unknown.",
  );
  assert.match(
    verdictText(evaluated((_, place) => place < 19)),
    "people have checked 19 of the language model's queries, and a verdict needs 20, so 1 more.",
  );
});

test("have no interval on the page, and of one setting's mean, while too few are checked", () => {
  const evaluation = evaluated((_, place) => place < 19);
  assert.match(
    verdictText({
      ...evaluation,
      settings: evaluation.settings.slice(0, 1),
      verdict: { ...evaluation.verdict, comparisons: [] },
    }),
    /^ndcg@10 of old is 0\.\d+ \(without an interval, since people have checked 19 of .* needs 20, so 1 more\)\. From/,
  );
  const page = (checked: number) =>
    htmlReport(
      evaluated((_, place) => place < checked),
      "Evaluation",
    );
  const intervals = /\d \(-?\d\.\d+ to|with 95 % intervals|<td>new<\/td><td>-?\d\.\d+<\/td><td>-?\d\.\d/;
  assert.not.match(page(19), intervals);
  assert.match(page(19), "no verdict: too little checked");
  assert.match(page(24), "with 95 % intervals");
  assert.match(page(24), /<td>new<\/td><td>0\.\d+<\/td><td>0\.\d+<\/td><td>0\.\d+<\/td><td>better/);
});

test("have intervals of what needs no judgments, however few are checked", () => {
  const evaluation = evaluated(() => false, "zero_hits");
  assert.is(evaluation.verdict.comparisons[0]?.finding, "unclear");
  assert.match(htmlReport(evaluation, "Evaluation"), /<td>new<\/td><td>0\.0000 \(0\.0000 to 0\.[01]\d+\)<\/td>/);
  assert.match(htmlReport(evaluation, "Evaluation"), "with 95 % intervals");
});

test("follow people where they contradict the model, and say by how much it erred", () => {
  const evaluation = evaluated((_, place) => place < 24);
  const [comparison] = evaluation.verdict.comparisons;
  assert.is(comparison?.finding, "better");
  assert.ok((comparison?.byModel ?? 0) < 0 && (comparison?.difference.mean ?? 0) > 0);
  assert.match(
    verdictText(evaluation),
    /People checked 24 of the language model's 40 queries, drawn at random, with 48 judgments \(weighted kappa -0\.\d\d\), and these correct its error\. By the model alone the difference in ndcg@10 would be -0\.\d+ for new\./,
  );
});

test("rest on the first queries of the order alone, since people who choose queries draw no random sample", () => {
  assert.is(evaluated((_, place) => place > 0).checked?.queries, 0);
  assert.is(evaluated((_, place) => place !== 21).checked?.queries, 21);
});

test("have exactly people's mean and interval where people judged every query", () => {
  const score = evaluated(() => true).settings[1]?.scores["ndcg@10"];
  const people = peoplesDifferences();
  assert.equal(score?.difference, simultaneousIntervals([people.map(() => 0), people])[1]);
  assert.ok(Math.abs((score?.difference.mean ?? 0) - people.reduce((sum, value) => sum + value, 0) / 40) < 1e-12);
  assert.equal(score?.mean, meanInterval(score?.values ?? []));
  assert.match(
    verdictText(evaluated(() => true)),
    /People judged all 40 queries of the language model, with 80 judgments \(weighted kappa -0\.\d\d\), so its own do not count\./,
  );
});

function peoplesDifferences(): number[] {
  const metric = metricOf("ndcg@10");
  return QUERIES.map((_, number) => {
    const grades = number % 8 === 0 ? [3, 0] : [0, 3];
    const judged = new Map(["a", "b"].map((document, index) => [document, grades[index] ?? 0]));
    return (metric?.of(["b", "a"], judged) ?? 0) - (metric?.of(["a", "b"], judged) ?? 0);
  });
}

test("weighted kappa is that of Cohen's definition", () => {
  // Counted by hand: the mean squared difference is 0.5 here, and 2.5 over all pairs of a grade of each.
  const model = [0, 1, 2, 3, 3, 2, 0, 1];
  const people = [0, 0, 2, 3, 2, 3, 1, 1];
  const rows = model.flatMap((grade, document) => [
    row("q", `d${document}`, grade, "model"),
    row("q", `d${document}`, people[document] ?? 0, "people"),
  ]);
  const check = modelCheck(rows);
  assert.ok(check);
  assert.equal(checkedIn(check), { queries: 1, of: 1, needed: 1, judgments: 8, kappa: 0.8 });
});

test.run();
