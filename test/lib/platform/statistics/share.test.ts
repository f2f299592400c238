import * as assert from "uvu/assert";
import { meanInterval } from "../../../../lib/platform/statistics/bootstrap.ts";
import { shareDifference, shareInterval, signedInterval } from "../../../../lib/platform/statistics/share.ts";
import { suite } from "../../../suite.ts";

const test = suite("Intervals of shares");

/** A share of independent answers, each of another user. */
const share = (hits: number, units: number) => {
  const value = hits / units;
  return shareInterval({ value, error: Math.sqrt((value * (1 - value)) / units), units }, 0.05);
};
const bounds = ({ low, high }: { low: number; high: number }) => [low.toFixed(4), high.toFixed(4)];

test("are those of Wilson's method that Newcombe (1998) lists", () => {
  // Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17, table I, method 3.
  for (const [hits, units, low, high] of [
    [81, 263, "0.2553", "0.3662"],
    [15, 148, "0.0624", "0.1605"],
    [0, 20, "0.0000", "0.1611"],
    [1, 29, "0.0061", "0.1718"],
  ] as const) {
    assert.equal(bounds(share(hits, units)), [low, high]);
  }
});

test("have a width where nothing was seen and where everything was, and stay within 0 and 1", () => {
  assert.equal(bounds(share(0, 447)), ["0.0000", "0.0085"]);
  assert.equal(bounds(share(447, 447)), ["0.9915", "1.0000"]);
  for (let units = 1; units <= 30; units += 1) {
    for (let hits = 0; hits <= units; hits += 1) {
      const { value, low, high } = share(hits, units);
      assert.ok(low >= 0 && low <= value && value <= high && high <= 1 && high > low, `${hits} of ${units}`);
    }
  }
});

test("of differences are those of Newcombe's method 10, within -1 and 1", () => {
  // Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17, table II.
  assert.equal(bounds(shareDifference(share(56, 70), share(48, 80))), ["0.0524", "0.3339"]);
  assert.equal(bounds(shareDifference(share(0, 10), share(0, 10))), ["-0.2775", "0.2775"]);
  assert.equal(bounds(shareDifference(share(10, 10), share(0, 10))), ["0.6075", "1.0000"]);
});

test("of values from -1 to 1 stay within these, and have a width if all are 0", () => {
  const { low, high } = signedInterval({ value: 0, error: 0, units: 100 }, 0.05);
  assert.ok(low < -0.05 && high > 0.05);
  assert.ok(signedInterval({ value: 0.98, error: 0.05, units: 10 }, 0.05).high <= 1);
});

test("of a metric whose values are alike are those of a share", () => {
  assert.equal(bounds(meanInterval(new Array(447).fill(0))), ["0.0000", "0.0085"]);
  assert.equal(bounds(meanInterval([1, 1, 1])), bounds(share(3, 3)));
});

test.run();
