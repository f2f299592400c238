import * as assert from "uvu/assert";
import { simultaneousIntervals } from "../../../../lib/relevance/statistics/bootstrap.ts";
import { seeded } from "../../../../lib/relevance/statistics/random.ts";
import { suite } from "../../../suite.ts";

const test = suite("bootstrap intervals");

/** Returns normal deviates by the Box-Muller method. */
function normals(count: number, random: () => number): number[] {
  return Array.from({ length: count }, () => {
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    return radius * Math.cos(2 * Math.PI * random());
  });
}

/** Returns in how many of 200 repetitions any interval misses its true mean. */
function misses(settings: number, queries: number, trueMean: number): number {
  const random = seeded(settings * 1_000 + queries);
  let missed = 0;
  for (let repetition = 0; repetition < 200; repetition += 1) {
    const differences = Array.from({ length: settings }, () => normals(queries, random).map((x) => x + trueMean));
    const intervals = simultaneousIntervals(differences, { resamples: 300, seed: repetition });
    if (intervals.some(({ low, high }) => low > trueMean || high < trueMean)) missed += 1;
  }
  return missed;
}

// 5 % of 200 is 10; 20 or more happen by chance once in 400 when the rate is 5 %.
for (const settings of [1, 20]) {
  test(`with ${settings} settings, an interval misses its mean in at most 5 % of repetitions`, () => {
    const missed = misses(settings, 40, 0.3);
    assert.ok(missed < 20, `${missed} of 200`);
    assert.ok(missed > 1, `${missed} of 200: the intervals are wider than they say`);
  });
}

test("a setting that equals the baseline has the interval 0 to 0, whatever the others have", () => {
  const [same, other] = simultaneousIntervals([new Array(30).fill(0), normals(30, seeded(1))]);
  assert.equal(same, { mean: 0, low: 0, high: 0 });
  assert.ok(other && other.low < other.high);
});

test("the same seed gives the same intervals", () => {
  const values = [normals(25, seeded(5))];
  assert.equal(simultaneousIntervals(values, { seed: 3 }), simultaneousIntervals(values, { seed: 3 }));
});

test.run();
