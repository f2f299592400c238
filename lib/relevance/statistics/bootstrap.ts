import { seeded } from "./random.ts";

/** A mean with its interval. */
export interface Interval {
  mean: number;
  low: number;
  high: number;
}

export interface BootstrapOptions {
  /** The share of intervals that miss their true value: 0.05 for 95 %. */
  alpha?: number;
  resamples?: number;
  seed?: number;
}

const DEFAULTS = { alpha: 0.05, resamples: 2_000, seed: 1 } as const;

/**
 * Returns simultaneous intervals for the mean differences of several settings from a baseline. `differences[s][q]` is
 * the difference of setting `s` on query `q`; all settings have the same queries, at least one. All intervals hold at
 * once with probability 1 - alpha, so that the best of many settings is not taken for better than it is.
 *
 * The paired bootstrap resamples queries (Efron and Tibshirani 1993, chapter 16). The largest studentized deviation over
 * all settings of each resample gives the common width (Romano and Wolf 2005). For one setting it is the symmetric
 * bootstrap interval.
 */
export function simultaneousIntervals(
  differences: readonly (readonly number[])[],
  options: BootstrapOptions = {},
): Interval[] {
  const { alpha, resamples, seed } = { ...DEFAULTS, ...options };
  const settings = differences.map((values) => {
    const average = mean(values);
    const centered = Float64Array.from(values, (value) => value - average);
    return { average, centered, error: standardError(values) };
  });
  const varying = settings.filter(({ error }) => error > 0);
  const queries = differences[0]?.length ?? 0;
  const random = seeded(seed);
  const largest = new Float64Array(resamples);
  const drawn = new Int32Array(queries);
  for (let resample = 0; resample < resamples; resample += 1) {
    for (let index = 0; index < queries; index += 1) drawn[index] = Math.floor(random() * queries);
    let deviation = 0;
    for (const { centered, error } of varying) {
      let sum = 0;
      let squares = 0;
      for (let index = 0; index < queries; index += 1) {
        const value = centered[drawn[index] as number] as number;
        sum += value;
        squares += value * value;
      }
      const average = sum / queries;
      // The resample's own error makes the interval exact to second order; a degenerate one falls back to the sample's.
      const variance = (squares / queries - average * average) / (queries - 1);
      deviation = Math.max(deviation, Math.abs(average) / (variance > 0 ? Math.sqrt(variance) : error));
    }
    largest[resample] = deviation;
  }
  largest.sort();
  const width = largest[Math.min(resamples - 1, Math.ceil((1 - alpha) * resamples) - 1)] ?? 0;
  return settings.map(({ average, error }) => ({
    mean: average,
    low: average - width * error,
    high: average + width * error,
  }));
}

/** Returns the interval of the mean of values, at least one, by the bootstrap. */
export function meanInterval(values: readonly number[], options?: BootstrapOptions): Interval {
  const [interval] = simultaneousIntervals([values], options);
  return interval ?? { mean: Number.NaN, low: Number.NaN, high: Number.NaN };
}

/** Returns the mean of values; NaN of none. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the standard error of the mean; 0 for fewer than two values. */
function standardError(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const average = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - average) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1) / values.length);
}
