import fc from "fast-check";
import * as assert from "uvu/assert";
import { simultaneousIntervals } from "../../../../lib/platform/statistics/bootstrap.ts";
import { type Random, seeded } from "../../../../lib/platform/statistics/random.ts";
import { difference } from "../../../../lib/platform/statistics/rounding.ts";
import { normal } from "../../../fixtures/populations.ts";
import { suite } from "../../../suite.ts";

const test = suite("intervals beside a setting that is nearly the baseline");

/** Returns differences of a setting that gains 0.046 on average. */
const winner = (queries: number, random: Random) =>
  Array.from({ length: queries }, () => 0.046 + 0.14 * normal(random));

/** Returns differences of a setting that differs in a few queries. */
const nearly = (queries: number, differing: number, random: Random) =>
  Array.from({ length: queries }, (_, query) => (query < differing ? random() - 0.5 : 0));

test("a second setting that differs in 1 to 4 of 100 queries hides no clear winner and gets no absurd interval", () => {
  let wide = 0;
  let lost = 0;
  let clear = 0;
  for (let run = 0; run < 160; run += 1) {
    const random = seeded(run);
    const gains = winner(100, random);
    const few = nearly(100, 1 + (run % 4), random);
    const [together, other] = simultaneousIntervals([gains, few], { seed: run, resamples: 400 });
    // Bonferroni: no second setting can cost more than half of alpha.
    const [alone] = simultaneousIntervals([gains], { seed: run, resamples: 400, alpha: 0.025 });
    assert.ok(together && other && alone);
    if (together.high - together.low > 1 || other.high - other.low > 1) wide += 1;
    if (alone.low > 0) clear += 1;
    if (alone.low > 0 && together.low <= 0) lost += 1;
  }
  assert.ok(clear > 80, `${clear} clear winners`);
  assert.equal({ wide, lost }, { wide: 0, lost: 0 });
});

test("a setting that differs in 0 to 4 of n queries gets no verdict, an interval around its mean, and widens no other", () => {
  const cases = fc.record({ seed: fc.nat(), queries: fc.integer({ min: 1, max: 80 }), differing: fc.nat(4) });
  fc.assert(
    fc.property(cases, ({ seed, queries, differing }) => {
      const random = seeded(seed);
      const gains = winner(queries, random);
      const few = nearly(queries, differing, random);
      const options = { seed, resamples: 400 };
      const [together, other] = simultaneousIntervals([gains, few], options);
      const [alone] = simultaneousIntervals([gains], { ...options, alpha: differing === 0 ? 0.05 : 0.025 });
      assert.ok(together && other && alone);
      assert.ok(alone.low <= together.low && together.high <= alone.high, JSON.stringify({ alone, together }));
      assert.ok(other.low <= 0 && other.high >= 0, JSON.stringify(other));
      const largest = Math.max(...few.map(Math.abs)) + 1e-12;
      assert.ok(-largest <= other.low && other.low <= other.mean, JSON.stringify(other));
      assert.ok(other.mean <= other.high && other.high <= largest, JSON.stringify(other));
      if (differing === 0) assert.equal(other, { mean: 0, low: 0, high: 0 });
    }),
    { seed: 6, numRuns: 150 },
  );
});

test("equal differences need as many queries as in the sign test: six", () => {
  const low = (differing: number, queries: number) =>
    simultaneousIntervals([Array.from({ length: queries }, (_, query) => (query < differing ? 0.3 : 0))])[0]?.low ?? 0;
  for (const queries of [6, 7, 9, 20, 100]) {
    assert.ok(low(5, queries) <= 0, `5 of ${queries}: ${low(5, queries)}`);
    assert.ok(low(6, queries) > 0, `6 of ${queries}: ${low(6, queries)}`);
  }
  assert.ok(low(1, 1) < 0 && low(3, 3) < 0 && low(5, 5) <= 0);
});

test("values that only rounding separates are ties, and others are not", () => {
  assert.is(difference(0.1 + 0.2, 0.3), 0);
  assert.is.not(difference(1 / 9998, 1 / 9999), 0);
  const rounded = Array.from({ length: 20 }, (_, query) => (query % 2 === 0 ? 0.9 - 0.6 : 0.5 - 0.2));
  const [interval] = simultaneousIntervals([rounded]);
  assert.ok(interval && interval.high - interval.low > 0.05, JSON.stringify(interval));
});

test.run();
