/** A metric's value is a sum over 9,999 hits at most, divided by such a sum: the relative rounding errors of both. */
const ROUNDING = 2 * 10_000 * Number.EPSILON;

/** Returns how much one value of a metric is above another; 0 if rounding alone can explain it. */
export function difference(value: number, from: number): number {
  const exact = value - from;
  return Math.abs(exact) <= ROUNDING * Math.max(Math.abs(value), Math.abs(from)) ? 0 : exact;
}

/**
 * Returns how often each value occurs among metrics or their differences. Values count as equal if rounding alone can
 * separate them; the metrics behind them are 1 at most.
 */
export function occurrences(values: readonly number[]): number[] {
  const counts: number[] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (const value of values.toSorted((a, b) => a - b)) {
    if (value - before > 2 * ROUNDING) counts.push(0);
    counts.push((counts.pop() ?? 0) + 1);
    before = value;
  }
  return counts;
}
