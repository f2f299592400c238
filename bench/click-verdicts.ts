// Are verdicts on judgments from clicks right?

import { clickVerdicts } from "../lab/test/evaluation/simulated-clicks.ts";
import { type Benchmark, load } from "./result.ts";

const ROUNDS = 40;
/** The stated rate of wrong verdicts. */
const MOST_WRONG = 0.05;

/** Measures verdicts on ten pairs of settings by the clicks of simulated users. */
export const clickVerdictsBenchmark: Benchmark = {
  name: "click-verdicts",
  async run() {
    return [0.5, 1, 2].map((bias) => {
      const { all, clear, wrong, wrongUsual, wrongCondensed } = clickVerdicts(bias, ROUNDS);
      return {
        what: `verdicts by clicks that contradict the truth: users look at rank r with probability 1 / r^${bias}`,
        budget: `≤ ${100 * MOST_WRONG} %`,
        reached: `${((100 * wrong) / all).toFixed(1)} %`,
        kept: wrong <= MOST_WRONG * all,
        note:
          `${all} evaluations of 60 queries, ten pairs of settings; ${clear} are clear. ${wrongUsual} would be wrong with ` +
          `unjudged hits as not relevant, ${wrongCondensed} over condensed lists alone; ${load()}`,
      };
    });
  },
};
