import {
  ALPHA,
  type BootstrapOptions,
  type Interval,
  mean,
  simultaneousIntervals,
} from "@relevance/lib/platform/statistics/bootstrap.ts";
import { difference } from "@relevance/lib/platform/statistics/rounding.ts";
import type { Judgments } from "../judgments/judgments.ts";
import type { ModelCheck } from "../judgments/model-check.ts";
import type { Metric } from "../metrics/metric.ts";

/** The values of a metric: a list for each setting, with a value for each query. */
type Values = readonly (readonly number[])[];

/** A metric by judgments that may be a language model's, with the errors of these. */
export interface Measured {
  /** By people in the sample, and by the model in all other queries. */
  values: Values;
  /** By the model alone; the same as `values` if no model judged or nobody checked it. */
  uncorrected: Values;
  /** Correction by people's judgments for each sampled query. Undefined without a sample. */
  errors: Values | undefined;
  /** The places of the sample among the queries. */
  sample: readonly number[];
  /** Queries that are not in the sample, if there is one. */
  unchecked: number;
}

/** Judgments and metric that rank a setting. */
export interface Basis {
  /** If a model judged, those that it judged. */
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
    return { values, uncorrected: values, errors: undefined, sample: [], unchecked: 0 };
  }
  const people = by(check.people);
  const at = (values: Values, setting: number, place: number) => values[setting]?.[place] ?? 0;
  const uncorrected = by(check.model);
  return {
    values: uncorrected.map((own, setting) =>
      own.map((value, place) => (chosen.has(queries[place] ?? "") ? at(people, setting, place) : value)),
    ),
    uncorrected,
    errors: uncorrected.map((_, setting) =>
      sample.map((place) => difference(at(people, setting, place), at(uncorrected, setting, place))),
    ),
    sample,
    unchecked: queries.length - sample.length,
  };
}

/** Returns each setting's values minus those of the first one, and so the errors. */
export function differencesOf({ values, uncorrected, errors, ...rest }: Measured): Measured {
  const from = (all: Values) => all.map((own) => own.map((value, place) => difference(value, all[0]?.[place] ?? 0)));
  return { values: from(values), uncorrected: from(uncorrected), errors: errors && from(errors), ...rest };
}

/**
 * The part of `alpha` that an interval from a sample uses, because few queries show too little of their own spread. In the
 * seven cases of `model-verdicts` in bench/ENDED.md, the intervals had people's truth in 96.0 to 96.9 % of 4,000 evaluations.
 */
const CAUTIOUS = 0.8;

/**
 * Returns the interval of each setting's mean over the queries. Where people checked a model, the mean is the model's plus
 * the mean error on the sample, which is right on average whatever the model's errors are: prediction-powered inference
 * (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, "Prediction-powered inference", Science 382, 2023). It is the sum of
 * the {@link partsOf} it, which share no query. So the distances of their limits from their means add up as standard
 * errors of independent estimates do: "MOVER" (Zou and Donner, "Construction of confidence limits about effect measures: a
 * general approach", Statistics in Medicine 27, 2008).
 */
export function intervalsOf(measured: Measured, options: BootstrapOptions = {}): Interval[] {
  const parts = partsOf(measured);
  if (!parts) return simultaneousIntervals(measured.values, options);
  const cautious = { ...options, alpha: CAUTIOUS * (options.alpha ?? ALPHA) };
  const [checked, others] = [intervalsOfPart(parts.checked, cautious), intervalsOfPart(parts.others, cautious)];
  return checked.map((own, setting) => {
    const other = others[setting] as Interval;
    const middle = own.mean + other.mean;
    return {
      mean: middle,
      low: Math.max(-1, middle - Math.hypot(own.mean - own.low, other.mean - other.low)),
      high: Math.min(1, middle + Math.hypot(own.high - own.mean, other.high - other.mean)),
    };
  });
}

/** Returns the standard error of a setting's mean. */
export function errorOf(measured: Measured, setting: number): number {
  const parts = partsOf(measured);
  const own = (values: Values) => standardError(values[setting] ?? []);
  return parts ? Math.hypot(own(parts.checked), own(parts.others)) : own(measured.values);
}

/**
 * Returns two lists of values for each setting whose means add up to the corrected mean: one of the queries in the sample
 * and one of all others. The corrected mean is that of the uncorrected values plus the mean error. Undefined if none is
 * unchecked.
 */
function partsOf({
  uncorrected,
  errors,
  sample,
  unchecked,
}: Measured): { checked: Values; others: Values } | undefined {
  if (!errors || unchecked === 0) return undefined;
  const count = uncorrected[0]?.length ?? 0;
  const isChecked = new Set(sample);
  const share = sample.length / count;
  return {
    checked: uncorrected.map((own, setting) =>
      sample.map((place, index) => (errors[setting]?.[index] ?? 0) + share * (own[place] ?? 0)),
    ),
    others: uncorrected.map((own) =>
      own.filter((_, place) => !isChecked.has(place)).map((value) => (1 - share) * value),
    ),
  };
}

/** Returns the intervals of values from -2 to 2. */
function intervalsOfPart(values: Values, options: BootstrapOptions): Interval[] {
  const halves = values.map((own) => own.map((value) => value / 2));
  return simultaneousIntervals(halves, options).map(({ mean, low, high }) => ({
    ...{ mean: 2 * mean, low: 2 * low, high: 2 * high },
  }));
}

function standardError(values: readonly number[]): number {
  const { length } = values;
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return length < 2 ? 0 : Math.sqrt(squares / (length - 1) / length);
}
