import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { mean } from "../../lib/platform/statistics/bootstrap.ts";
import { type Random, seeded, shuffled } from "../../lib/platform/statistics/random.ts";
import { metricOf } from "../../packages/lab/metrics/metric.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { pythonWith } from "../fixtures/python.ts";
import { suite } from "../suite.ts";

const test = suite("metrics against ir_measures");

/** Names of metrics, ours and those of ir_measures. */
const NAMES = {
  "ndcg@10": "nDCG@10",
  "ndcg@3": "nDCG@3",
  ndcg: "nDCG",
  "mrr@10": "RR@10",
  mrr: "RR",
  "precision@1": "P@1",
  "precision@10": "P@10",
  "recall@10": "R@10",
  "recall@100": "R@100",
  "map@10": "AP@10",
  map: "AP",
  "judged@10": "Judged@10",
  "condensed_ndcg@10": "nDCG(judged_only=True)@10",
  "condensed_precision@10": "P(judged_only=True)@10",
  condensed_mrr: "RR(judged_only=True)",
  condensed_map: "AP(judged_only=True)",
  bpref: "Bpref",
  infap: "infAP",
} as const;

/** Prints each value as `measure query value`, and the means with the query `all`. */
const SCRIPT = `
import sys, ir_measures
qrels = list(ir_measures.read_trec_qrels(sys.argv[1]))
run = list(ir_measures.read_trec_run(sys.argv[2]))
measures = [ir_measures.parse_measure(name) for name in sys.argv[3:]]
for metric in ir_measures.iter_calc(measures, qrels, run):
    print(metric.measure, metric.query_id, repr(float(metric.value)))
for measure, value in ir_measures.calc_aggregate(measures, qrels, run).items():
    print(measure, "all", repr(float(value)))
`;

interface Topic {
  id: string;
  grades: Map<string, number>;
  ranking: string[];
}

/** Topics with many, few and no relevant documents, negative grades, unjudged hits, and short and long rankings. */
function topics(count: number, random: Random): Topic[] {
  const documents = Array.from({ length: 150 }, (_, index) => `d${index}`);
  return Array.from({ length: count }, (_, index) => {
    const judged = shuffled(documents, random).slice(0, 1 + Math.floor(random() * 80));
    const highest = index % 5;
    const grades = judged.map((id) => [id, Math.floor(random() * (highest + 2)) - 1] as const);
    const length = 1 + Math.floor(random() * (index % 3 === 0 ? 9 : 140));
    return { id: `q${index}`, grades: new Map(grades), ranking: shuffled(documents, random).slice(0, length) };
  });
}

test("every metric equals that of ir_measures to 1e-9, per query and on average", async () => {
  const all = topics(120, seeded(7));
  const folder = scratchFolder(TEST_OUTPUT, "ir-measures");
  const [qrels, run] = [join(folder, "qrels"), join(folder, "run")];
  writeFileSync(
    qrels,
    all
      .flatMap(({ id, grades }) => Array.from(grades, ([document, grade]) => `${id} 0 ${document} ${grade}\n`))
      .join(""),
  );
  writeFileSync(
    run,
    all
      .flatMap(({ id, ranking }) => ranking.map((document, rank) => `${id} Q0 ${document} ${rank + 1} ${-rank} r\n`))
      .join(""),
  );
  const python = await pythonWith("ir-measures");
  const printed = execFileSync(python, ["-c", SCRIPT, qrels, run, ...Object.values(NAMES)], { encoding: "utf8" });
  const theirs = new Map(
    printed
      .trim()
      .split("\n")
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
  assert.is(theirs.size, Object.keys(NAMES).length * (all.length + 1));
  for (const [ours, name] of Object.entries(NAMES)) {
    const metric = metricOf(ours);
    const values = all.map(({ ranking, grades }) => metric?.of(ranking, grades) ?? Number.NaN);
    for (const [index, value] of [...values, mean(values)].entries()) {
      const query = all[index]?.id ?? "all";
      const expected = theirs.get(`${name} ${query}`) ?? Number.NaN;
      assert.ok(Math.abs(value - expected) <= 1e-9, `${ours} of ${query}: ${value}, ir_measures says ${expected}`);
    }
  }
});

test.run();
