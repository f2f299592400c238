import {
  type BootstrapOptions,
  type Interval,
  mean,
  simultaneousIntervals,
} from "../../lib/core/statistics/bootstrap.ts";
import { difference } from "../../lib/core/statistics/rounding.ts";
import type { Judgments } from "../judgments/judgments.ts";
import type { ModelCheck } from "../judgments/model-check.ts";
import type { Metric } from "../metrics/metric.ts";

/** The values of a metric: a list for each setting, with a value for each query. */
type Values = readonly (readonly number[])[];

/** A metric by judgments that may be a language model's, with the errors of these. */
export interface Measured {
  /** By what people judged in the queries of the sample, and by the model in all others. */
  values: Values;
  /** By the model alone in all queries; the same as `values` if no model judged or nobody checked it. */
  uncorrected: Values;
  /** What people's judgments change, for each query of the sample. Undefined without a sample. */
  errors: Values | undefined;
  /** The places of the sample among the queries. */
  sample: readonly number[];
}

/** What rankings are measured by. */
export interface Basis {
  queries: readonly string[];
  /** The ranking of each query by each setting. */
  rankings: readonly (readonly (readonly string[])[])[];
  judgments: Judgments;
  check: ModelCheck | undefined;
}

/** Measures all rankings by a metric. */
export function measuredBy(metric: Metric, { queries, rankings, judgments, check }: Basis): Measured {
  const by = (source: Judgments) =>
    rankings.map((own) =>
      own.map((ranking, query) => metric.of(ranking, source.get(queries[query] ?? "") ?? new Map())),
    );
  const chosen = new Set(check?.sample);
  const sample = queries.flatMap((query, place) => (chosen.has(query) ? [place] : []));
  if (!check || sample.length === 0 || metric.needs === "nothing") {
    const values = by(judgments);
    return { values, uncorrected: values, errors: undefined, sample: [] };
  }
  const [uncorrected, people] = [by(check.model), by(check.people)];
  const at = (values: Values, setting: number, place: number) => values[setting]?.[place] ?? 0;
  return {
    values: uncorrected.map((own, setting) =>
      own.map((value, place) => (chosen.has(queries[place] ?? "") ? at(people, setting, place) : value)),
    ),
    uncorrected,
    errors: uncorrected.map((_, setting) =>
      sample.map((place) => difference(at(people, setting, place), at(uncorrected, setting, place))),
    ),
    sample,
  };
}

/** Returns each setting's values minus those of the first one, and so the errors. */
export function differencesOf({ values, uncorrected, errors, sample }: Measured): Measured {
  const from = (all: Values) => all.map((own) => own.map((value, place) => difference(value, all[0]?.[place] ?? 0)));
  return { values: from(values), uncorrected: from(uncorrected), errors: errors && from(errors), sample };
}

/**
 * Returns the interval of each setting's mean over the queries. Where people checked a model, the mean is the model's plus
 * the mean error on the sample, which is right on average whatever the model's errors are: prediction-powered inference
 * (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, "Prediction-powered inference", Science 382, 2023). The distances of
 * the limits from both means add up as {@link joined} says.
 */
export function intervalsOf(measured: Measured, options: BootstrapOptions = {}): Interval[] {
  const base = simultaneousIntervals(measured.uncorrected, options);
  if (!measured.errors) return base;
  const corrections = simultaneousIntervals(measured.errors, options);
  return base.map((own, setting) => {
    const correction = corrections[setting] as Interval;
    const middle = own.mean + correction.mean;
    const together = joined(measured, setting);
    return {
      mean: middle,
      low: Math.max(-1, middle - together(own.mean - own.low, correction.mean - correction.low)),
      high: Math.min(1, middle + together(own.high - own.mean, correction.high - correction.mean)),
    };
  });
}

/** Returns the standard error of a setting's mean. */
export function errorOf(measured: Measured, setting: number): number {
  const errors = measured.errors?.[setting];
  const own = standardError(measured.uncorrected[setting] ?? []);
  return errors ? joined(measured, setting)(own, standardError(errors)) : own;
}

/**
 * Returns the function that adds a distance from the model's mean to one from the mean error, as standard errors of two
 * estimates add up that share the queries of the sample: "MOVER" (Zou, "Toward using confidence intervals to compare
 * correlations", Psychological Methods 12, 2007). Errors mostly oppose the model's values, which narrows the interval; of
 * a correlation that so few queries show, the value one standard error above it counts (Fisher's z).
 */
function joined({ uncorrected, errors, sample }: Measured, setting: number): (a: number, b: number) => number {
  const own = uncorrected[setting] ?? [];
  const atSample = sample.map((place) => own[place] ?? 0);
  const seen = correlation(atSample, errors?.[setting] ?? []);
  const cautious = sample.length > 3 ? Math.tanh(Math.atanh(seen) + 1 / Math.sqrt(sample.length - 3)) : 1;
  const shared = cautious * Math.sqrt(sample.length / own.length);
  return (a, b) => Math.sqrt(Math.max(0, a ** 2 + b ** 2 + 2 * shared * a * b));
}

function correlation(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [mean(a), mean(b)];
  let [both, ofA, ofB] = [0, 0, 0];
  for (const [place, value] of a.entries()) {
    const [x, y] = [value - meanA, (b[place] ?? 0) - meanB];
    both += x * y;
    ofA += x ** 2;
    ofB += y ** 2;
  }
  return ofA > 0 && ofB > 0 ? both / Math.sqrt(ofA * ofB) : 0;
}

function standardError(values: readonly number[]): number {
  const { length } = values;
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return length < 2 ? 0 : Math.sqrt(squares / (length - 1) / length);
}
