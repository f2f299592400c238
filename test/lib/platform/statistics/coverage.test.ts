import * as assert from "uvu/assert";
import { simultaneousIntervals } from "../../../../lib/platform/statistics/bootstrap.ts";
import { type Random, seeded } from "../../../../lib/platform/statistics/random.ts";
import { normal } from "../../../fixtures/populations.ts";
import { suite } from "../../../suite.ts";

const test = suite("coverage of 95 % intervals");

interface Population {
  draw: (random: Random) => number;
  mean: number;
}

const SYMMETRIC: Population = { draw: (random) => 0.05 + 0.2 * normal(random), mean: 0.05 };
/** Exponential: a few queries gain much. */
const SKEWED: Population = { draw: (random) => -0.1 * Math.log(1 - random()), mean: 0.1 };
/** Nine queries in ten are ties; the others gain. */
const TIED: Population = { draw: (random) => (random() < 0.1 ? random() : 0), mean: 0.05 };
/** Nine queries in ten are ties; the others gain or lose. */
const BALANCED: Population = { draw: (random) => (random() < 0.1 ? 2 * random() - 1 : 0), mean: 0 };

/**
 * Coverage of all intervals at once in 1,500 simulations each with 400 resamples. Where it is far below 95 %, the sample
 * is too small to hold the queries that matter: ten queries, of which one in ten differs, hold none in 35 % of cases.
 */
const MEASURED: readonly [name: string, Population, settings: number, queries: number, coverage: number][] = [
  ["symmetric", SYMMETRIC, 1, 10, 0.964],
  ["symmetric", SYMMETRIC, 1, 50, 0.939],
  ["symmetric", SYMMETRIC, 10, 50, 0.929],
  ["skewed", SKEWED, 1, 10, 0.903],
  ["skewed", SKEWED, 1, 50, 0.939],
  ["skewed", SKEWED, 10, 50, 0.89],
  ["mostly tied", TIED, 1, 10, 0.616],
  ["mostly tied", TIED, 1, 20, 0.822],
  ["mostly tied", TIED, 1, 50, 0.953],
  ["mostly tied", TIED, 10, 50, 0.741],
  ["mostly tied, balanced", BALANCED, 1, 50, 0.994],
];

const REPETITIONS = 150;

for (const [name, { draw, mean }, settings, queries, coverage] of MEASURED) {
  test(`${settings} × ${queries} ${name} differences: ${(100 * coverage).toFixed(1)} %`, () => {
    const random = seeded(settings * 1_000 + queries);
    let held = 0;
    for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
      const samples = Array.from({ length: settings }, () => Array.from({ length: queries }, () => draw(random)));
      const intervals = simultaneousIntervals(samples, { resamples: 400, seed: repetition });
      if (intervals.every(({ low, high }) => low <= mean && mean <= high)) held += 1;
    }
    // Three standard errors of both simulations; a rate of 1 counts as 0.999.
    const rate = Math.min(coverage, 0.999);
    const error = 3 * Math.sqrt(rate * (1 - rate) * (1 / REPETITIONS + 1 / 1_500));
    assert.ok(Math.abs(held / REPETITIONS - coverage) <= error, `${held / REPETITIONS}, measured ${coverage}`);
  });
}

test.run();
