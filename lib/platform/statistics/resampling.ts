import { type Random, seeded } from "./random.ts";
import { occurrences } from "./rounding.ts";

/** The lower and upper limits that resamples give for a mean. */
export interface Limits {
  /** In the order of the resamples. */
  lower: Float64Array;
  upper: Float64Array;
  sortedLower: Float64Array;
  sortedUpper: Float64Array;
  /** Whether both limits of each resample are as far from the mean. */
  isSymmetric: boolean;
}

/** With fewer differences, even of one sign, the sign test finds nothing at the level of 5 %. */
export const FEWEST_DIFFERENCES = 6;

/**
 * Returns the limits of the mean of each sample, one for each resample. All samples have the same queries, and all have
 * the same resamples.
 *
 * The method is the symmetric bootstrap-t with weights in place of drawn queries: independent, from the distribution
 * Beta(1/2, 3/2) (Owen, "Better bootstrap t confidence intervals for the mean", arXiv 2508.10083). It is exact to second
 * order, as the usual bootstrap-t is. But the usual one has infinite intervals for few differences among many ties,
 * because many of its resamples hold nothing but ties, and the variance of those is rounding noise. Here each resample
 * holds every query.
 *
 * Samples with fewer than six values other than 0 get the limits of {@link cautious}, and so do those that lack what
 * Owen's method needs: three different values, or two that occur three times each.
 */
export function limitsOf(samples: readonly (readonly number[])[], resamples: number, seed: number): Limits[] {
  const varied = samples.map(isVaried);
  const studentized = byMethod(samples, varied, true, (chosen) => weighted(chosen, resamples, seeded(seed)));
  const others = byMethod(samples, varied, false, (chosen) => cautious(chosen, resamples, seeded(seed)));
  return samples.map((_, index) => (studentized.get(index) ?? others.get(index)) as Limits);
}

function byMethod(
  samples: readonly (readonly number[])[],
  varied: readonly boolean[],
  wanted: boolean,
  method: (chosen: readonly (readonly number[])[]) => Limits[],
): Map<number, Limits> {
  const indexes = [...samples.keys()].filter((index) => varied[index] === wanted);
  const limits = method(indexes.map((index) => samples[index] as readonly number[]));
  return new Map(indexes.map((index, position) => [index, limits[position] as Limits]));
}

function isVaried(values: readonly number[]): boolean {
  const counts = occurrences(values);
  const differ = values.filter((value) => value !== 0).length;
  return differ >= FEWEST_DIFFERENCES && (counts.length > 2 || (counts.length === 2 && Math.min(...counts) >= 3));
}

/** Returns limits by the bootstrap-t with weights from Beta(1/2, 3/2). */
function weighted(samples: readonly (readonly number[])[], resamples: number, random: Random): Limits[] {
  const centered = samples.map((values) => {
    const average = values.reduce((sum, value) => sum + value, 0) / values.length;
    return { average, values: Float64Array.from(values, (value) => value - average) };
  });
  const equal = new Float64Array(samples[0]?.length ?? 0).fill(1);
  const errors = centered.map(({ values }) => momentsOf(values, equal).deviation);
  const lower = samples.map(() => new Float64Array(resamples));
  const upper = samples.map(() => new Float64Array(resamples));
  const weights = new Float64Array(equal.length);
  for (let resample = 0; resample < resamples && samples.length > 0; resample += 1) {
    // The square of a coordinate of a random point in the unit disk has this distribution.
    for (let query = 0; query < weights.length; query += 1) {
      weights[query] = random() * Math.cos(2 * Math.PI * random()) ** 2;
    }
    for (const [index, { average, values }] of centered.entries()) {
      const { mean, deviation } = momentsOf(values, weights);
      const distance = Math.abs(mean / deviation) * (errors[index] as number);
      (lower[index] as Float64Array)[resample] = average - distance;
      (upper[index] as Float64Array)[resample] = average + distance;
    }
  }
  return samples.map((_, index) => sorted(lower[index] as Float64Array, upper[index] as Float64Array, true));
}

/** Returns the weighted mean and standard deviation. Subtracts the mean before it squares, against cancellation. */
function momentsOf(values: Float64Array, weights: Float64Array): { mean: number; deviation: number } {
  let total = 0;
  let sum = 0;
  for (let query = 0; query < values.length; query += 1) {
    const weight = weights[query] as number;
    total += weight;
    sum += weight * (values[query] as number);
  }
  const mean = sum / total;
  let squares = 0;
  for (let query = 0; query < values.length; query += 1) {
    squares += (weights[query] as number) * ((values[query] as number) - mean) ** 2;
  }
  return { mean, deviation: Math.sqrt(squares / total) };
}

/**
 * Returns limits by the Bayesian bootstrap (Rubin 1981) with one query more, whose value is the largest in size: with a
 * plus for the upper limits, with a minus for the lower ones. For values that lie in these bounds it is the bound of
 * Gaffke (2005; Learned-Miller and Thomas, arXiv 1905.06208). It excludes 0 only where the sign test does, because the
 * chance of a lower limit below 0 is the product of 1 / (1 + value / largest), at least 1 / 2 for each value.
 */
function cautious(samples: readonly (readonly number[])[], resamples: number, random: Random): Limits[] {
  const largest = samples.map((values) => Math.max(...values.map(Math.abs)));
  const lower = samples.map(() => new Float64Array(resamples));
  const upper = samples.map(() => new Float64Array(resamples));
  const weights = new Float64Array(samples[0]?.length ?? 0);
  for (let resample = 0; resample < resamples && samples.length > 0; resample += 1) {
    const more = -Math.log(1 - random());
    for (let query = 0; query < weights.length; query += 1) weights[query] = -Math.log(1 - random());
    const total = weights.reduce((sum, weight) => sum + weight, more);
    for (const [index, values] of samples.entries()) {
      const sum = values.reduce((before, value, query) => before + (weights[query] as number) * value, 0);
      const extreme = more * (largest[index] as number);
      (lower[index] as Float64Array)[resample] = (sum - extreme) / total;
      (upper[index] as Float64Array)[resample] = (sum + extreme) / total;
    }
  }
  return samples.map((_, index) => sorted(lower[index] as Float64Array, upper[index] as Float64Array, false));
}

const sorted = (lower: Float64Array, upper: Float64Array, isSymmetric: boolean): Limits => ({
  ...{ lower, upper, isSymmetric },
  ...{ sortedLower: lower.toSorted(), sortedUpper: upper.toSorted() },
});
