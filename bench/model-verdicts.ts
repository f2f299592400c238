// Do corrected judgments of a language model cover what people would say?

import type { Ranker } from "../lab/test/evaluation/simulated-clicks.ts";
import { coverage, type Judge, population } from "../lab/test/evaluation/simulated-judge.ts";
import { type Benchmark, load } from "./result.ts";

/** Chance alone moves the share of intervals by less than 0.7 points in so many rounds. */
const ROUNDS = 4_000;
/** The stated share of intervals that have the truth. */
const LEAST_COVERED = 0.95;
/** Different queries that the rounds draw from. */
const QUERIES = 8_000;

const SMALL: Ranker = { quality: 1.2, shared: 0.3 };
const NONE: Ranker = { quality: 1, shared: 0.3 };
const LARGE: Ranker = { quality: 2, shared: 0.5 };

interface Case {
  metric: string;
  model: string;
  judge: Judge;
  other: Ranker;
  samples: readonly (readonly [checked: number, queries: number])[];
}

const CASES: readonly Case[] = [
  {
    metric: "ndcg@10",
    model: "prefers the setting in use",
    judge: { lean: 0.8, noise: 0.5 },
    other: SMALL,
    samples: [
      [20, 60],
      [50, 200],
    ],
  },
  {
    metric: "ndcg@10",
    model: "is lenient",
    judge: { lean: 0, noise: 0.5, shift: 0.8 },
    other: SMALL,
    samples: [[20, 200]],
  },
  {
    metric: "ndcg@10",
    model: "is harsh",
    judge: { lean: 0, noise: 0.5, shift: -0.8 },
    other: LARGE,
    samples: [[100, 200]],
  },
  { metric: "ndcg@10", model: "guesses", judge: { lean: 0, noise: 1.5 }, other: NONE, samples: [[20, 60]] },
  {
    metric: "map@10",
    model: "prefers the setting in use a little",
    judge: { lean: 0.4, noise: 0.5 },
    other: SMALL,
    samples: [
      [30, 100],
      [100, 200],
    ],
  },
];

/** Measures corrected intervals by simulated language models with planted errors. */
export const modelVerdictsBenchmark: Benchmark = {
  name: "model-verdicts",
  async run() {
    return CASES.flatMap(({ metric, model, judge, other, samples }) => {
      const of = population(metric, judge, other, QUERIES);
      return samples.map(([checked, queries]) => {
        const found = coverage(of, { queries, checked, rounds: ROUNDS });
        const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
        const half = (width: number) => `± ${(width / 2).toFixed(3)}`;
        const share = found.covered / ROUNDS;
        const error = 1.96 * Math.sqrt((share * (1 - share)) / ROUNDS);
        return {
          what:
            `95 % intervals of a difference in ${metric} that have people's truth (${of.truth.toFixed(3)}): the model ` +
            `${model}, people check ${checked} of ${queries} queries`,
          budget: `≥ ${100 * LEAST_COVERED} %`,
          reached: percent(share),
          kept: share >= LEAST_COVERED,
          note:
            `${ROUNDS} evaluations, so ± ${(100 * error).toFixed(1)} points; by the model alone ` +
            `${percent(found.coveredAlone)}; weighted kappa ${of.kappa.toFixed(2)}; ${half(found.width)}, by the checked ` +
            `queries alone ${half(found.widthByPeople)}; ${percent(found.clear / ROUNDS)} on one side of 0, ` +
            `${percent(found.wrong / ROUNDS)} on the wrong one; ${load()}`,
        };
      });
    });
  },
};
