import * as assert from "uvu/assert";
import { chiSquaredTail, normalQuantile, normalTail } from "../../../../lib/platform/statistics/distributions.ts";
import { suite } from "../../../suite.ts";

const test = suite("normal and chi-squared distributions");

const near = (value: number, expected: number) =>
  assert.ok(Math.abs(value / expected - 1) < 1e-5, `${value} instead of ${expected}`);

test("the normal distribution has the usual tails and quantiles", () => {
  near(normalTail(0), 0.5);
  near(normalTail(1.959963985), 0.025);
  near(normalTail(-1.281551566), 0.9);
  near(normalTail(3.090232306), 0.001);
  near(normalQuantile(0.025), 1.959963985);
  near(normalQuantile(0.2), 0.841621234);
});

test("the chi-squared distribution has the critical values of published tables", () => {
  for (const [degrees, at05, at001] of [
    [1, 3.841458821, 10.82756617],
    [2, 5.991464547, 13.81551056],
    [3, 7.814727903, 16.2662362],
    [4, 9.487729037, 18.46682695],
    [9, 16.9189776, 27.87716487],
  ] as const) {
    near(chiSquaredTail(at05, degrees), 0.05);
    near(chiSquaredTail(at001, degrees), 0.001);
  }
  assert.is(chiSquaredTail(0, 3), 1);
});

test.run();
