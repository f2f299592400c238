// Do corrected judgments of a language model cover what people would say?

import { coverage, type Judge } from "../lab/test/evaluation/simulated-judge.ts";
import { type Benchmark, load } from "./result.ts";

const ROUNDS = 400;
/** The stated share of intervals that have the truth. */
const LEAST_COVERED = 0.95;

const CASES: readonly { metric: string; judge: Judge; queries: number; checked: number }[] = [
  { metric: "ndcg@10", judge: { lean: 0.8, noise: 0.5 }, queries: 60, checked: 20 },
  { metric: "ndcg@10", judge: { lean: 0, noise: 0.7 }, queries: 60, checked: 20 },
  { metric: "ndcg@10", judge: { lean: 0.8, noise: 0.5 }, queries: 200, checked: 50 },
  { metric: "map@10", judge: { lean: 0.4, noise: 0.5 }, queries: 100, checked: 30 },
];

/** Measures corrected intervals by simulated language models with planted errors. */
export const modelVerdictsBenchmark: Benchmark = {
  name: "model-verdicts",
  async run() {
    return CASES.map(({ metric, judge, queries, checked }) => {
      const found = coverage(metric, judge, { queries, checked, rounds: ROUNDS, ofTruth: 20_000 });
      const percent = (count: number) => `${((100 * count) / ROUNDS).toFixed(1)} %`;
      return {
        what:
          `95 % intervals of ${metric} that have people's truth: a model that leans by ${judge.lean} to the setting in ` +
          `use and errs by ${judge.noise}, people check ${checked} of ${queries} queries`,
        budget: `≥ ${100 * LEAST_COVERED} %`,
        reached: percent(found.covered),
        kept: found.covered >= LEAST_COVERED * ROUNDS,
        note:
          `${ROUNDS} evaluations; by the model alone ${percent(found.coveredAlone)}; weighted kappa ` +
          `${found.kappa.toFixed(2)}; ${percent(found.clear)} clear verdicts, ${percent(found.wrong)} wrong; ${load()}`,
      };
    });
  },
};
