import { seeded } from "@relevance/lib/platform/statistics/random.ts";

/** The raters' grades for one document. */
export type Unit = readonly number[];

/**
 * Measures agreement from sums that can be added: each query gives its own, so that whole queries can be resampled.
 * `valueFrom` is undefined where agreement by chance is not defined, as with one grade for everything.
 */
interface Measure {
  sumsOf(units: readonly Unit[]): number[];
  valueFrom(sums: readonly number[]): number | undefined;
}

/**
 * Cohen's kappa with quadratic weights of two raters (Cohen, "Weighted kappa", Psychological Bulletin 70, 1968): 1 is full
 * agreement, 0 that of chance. Each unit has the grade of the first and of the second.
 */
export const WEIGHTED_KAPPA: Measure = {
  sumsOf: (units) => {
    const sum = (of: (a: number, b: number) => number) => units.reduce((total, [a = 0, b = 0]) => total + of(a, b), 0);
    return [units.length, sum((a) => a), sum((_, b) => b), sum((a, b) => a * a + b * b), sum((a, b) => (a - b) ** 2)];
  },
  valueFrom: ([count = 0, a = 0, b = 0, squares = 0, differences = 0]) => {
    // The mean squared difference of any grade of the one and any grade of the other.
    const byChance = squares / count - (2 * a * b) / count ** 2;
    return byChance > 1e-9 ? 1 - differences / count / byChance : undefined;
  },
};

/**
 * Krippendorff's alpha of two raters or more, of whom each may have left documents out, with the ordinal metric: grades are
 * names in an order, and nobody knows that 0 is as far from 1 as 2 is from 3 (Krippendorff, "Computing Krippendorff's
 * Alpha-Reliability", 2011). `grades` are all grades in their order.
 */
export function alphaOf(grades: readonly number[]): Measure {
  const places = new Map(grades.map((grade, place) => [grade, place]));
  const size = grades.length;
  return {
    /** Returns the coincidence matrix, row by row. */
    sumsOf: (units) => {
      const matrix = new Array<number>(size * size).fill(0);
      for (const unit of units) {
        for (const [one, grade] of unit.entries()) {
          for (const [other, second] of unit.entries()) {
            const cell = (places.get(grade) ?? 0) * size + (places.get(second) ?? 0);
            if (one !== other) matrix[cell] = (matrix[cell] ?? 0) + 1 / (unit.length - 1);
          }
        }
      }
      return matrix;
    },
    valueFrom: (matrix) => {
      const totals = grades.map((_, row) =>
        matrix.slice(row * size, (row + 1) * size).reduce((sum, one) => sum + one, 0),
      );
      const all = totals.reduce((sum, one) => sum + one, 0);
      let [observed, expected] = [0, 0];
      for (let one = 0; one < size; one += 1) {
        let between = (totals[one] ?? 0) / 2;
        for (let other = one + 1; other < size; other += 1) {
          const total = totals[other] ?? 0;
          const distance = (between + total / 2) ** 2;
          observed += 2 * (matrix[one * size + other] ?? 0) * distance;
          expected += (2 * (totals[one] ?? 0) * total * distance) / (all - 1);
          between += total;
        }
      }
      return expected > 1e-9 ? 1 - observed / expected : undefined;
    },
  };
}

/** Fewer queries say nothing about the queries that are not in the file. */
export const LEAST_QUERIES = 10;
const RESAMPLES = 2_000;

/**
 * Returns the value of a measure, and its interval with 95 %: the percentile bootstrap (Efron and Tibshirani, "An
 * Introduction to the Bootstrap", 1993, section 13.3) over whole queries, because documents of one query are not
 * independent. It tends to be too narrow if they are few. Undefined below {@link LEAST_QUERIES}, or if chance is not defined.
 */
export function measured({ sumsOf, valueFrom }: Measure, queries: readonly (readonly Unit[])[]) {
  const sums = queries.map(sumsOf);
  const width = sums[0]?.length ?? 0;
  const total = (of: (index: number) => readonly number[]) => {
    const added = new Array<number>(width).fill(0);
    for (let index = 0; index < sums.length; index += 1) {
      const own = of(index);
      for (let cell = 0; cell < width; cell += 1) added[cell] = (added[cell] ?? 0) + (own[cell] ?? 0);
    }
    return added;
  };
  const value = sums.length === 0 ? undefined : valueFrom(total((index) => sums[index] ?? []));
  if (value === undefined || sums.length < LEAST_QUERIES) return { value, interval: undefined };
  const random = seeded(1);
  const values = Array.from({ length: RESAMPLES }, () =>
    valueFrom(total(() => sums[Math.floor(random() * sums.length)] ?? [])),
  )
    .filter((one) => one !== undefined)
    .sort((a, b) => a - b);
  const at = (share: number) => values[Math.round(share * (values.length - 1))] ?? value;
  return { value, interval: { low: Math.min(value, at(0.025)), high: Math.max(value, at(0.975)) } };
}
