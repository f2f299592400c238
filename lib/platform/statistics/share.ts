import { normalQuantile } from "./distributions.ts";
import type { Ratio } from "./ratio.ts";

/** A value with its interval. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

/**
 * Returns a share, or another mean of values from 0 to 1, with an interval within these bounds that has a width at 0 and 1,
 * too (Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927). Its size is the
 * effective one: that of independent values with the same error (Korn and Graubard, "Confidence intervals for proportions
 * with small expected number of positive counts", Survey Methodology 24, 1998), or the number of units if all are alike.
 */
export function shareInterval({ value, error, units }: Ratio, alpha: number): Estimate {
  const size = error > ALIKE ? (value * (1 - value)) / error ** 2 : units;
  const z = normalQuantile(alpha / 2);
  const part = z ** 2 / size;
  const middle = (value + part / 2) / (1 + part);
  const width = (z / (1 + part)) * Math.sqrt((value * (1 - value)) / size + part / (4 * size));
  return {
    value,
    low: Math.max(0, Math.min(value, middle - width)),
    high: Math.min(1, Math.max(value, middle + width)),
  };
}

/** Smaller standard errors are rounding. */
const ALIKE = 1e-12;

/** Returns a mean of values from -1 to 1 with its interval: that of the share that lies as far between the two. */
export function signedInterval({ value, error, units }: Ratio, alpha: number): Estimate {
  const { low, high } = shareInterval({ value: (1 + value) / 2, error: error / 2, units }, alpha);
  return { value, low: 2 * low - 1, high: 2 * high - 1 };
}

/**
 * Returns how much a share is above an independent one, from the intervals of both at the wanted level (Newcombe, "Interval
 * estimation for the difference between independent proportions", Statistics in Medicine 17, 1998, method 10).
 */
export function shareDifference(one: Estimate, from: Estimate): Estimate {
  const value = one.value - from.value;
  return {
    value,
    low: value - Math.hypot(one.value - one.low, from.high - from.value),
    high: value + Math.hypot(one.high - one.value, from.value - from.low),
  };
}
