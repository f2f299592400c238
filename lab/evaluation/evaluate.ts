import {
  type BootstrapOptions,
  type Interval,
  meanInterval,
  simultaneousIntervals,
} from "../../lib/core/statistics/bootstrap.ts";
import { FEWEST_DIFFERENCES } from "../../lib/core/statistics/resampling.ts";
import { difference } from "../../lib/core/statistics/rounding.ts";
import type { Judgments } from "../judgments/judgments.ts";
import type { Metric } from "../metrics/metric.ts";

/** What one search found. */
export interface Run {
  /** Document ids, best first, each once. */
  ranking: readonly string[];
  milliseconds: number;
  /** Stages that the gateway reported as degraded. */
  degraded: readonly string[];
}

/** A metric of one setting. */
export interface Score {
  /** Mean over queries, with its own interval. */
  mean: Interval;
  /** Mean difference from the baseline. All settings' intervals of one metric hold at once. */
  difference: Interval;
  /** Value of each query, in the order of `Evaluation.queries`. */
  values: readonly number[];
}

export interface EvaluatedSetting {
  name: string;
  /** By the metric's name. */
  scores: Readonly<Record<string, Score>>;
  milliseconds: { p50: number; p95: number };
  /** How many answers were degraded. */
  degraded: number;
}

/** The result of an evaluation. The first setting is the baseline; the first metric decides the verdict. */
export interface Evaluation {
  queries: readonly string[];
  metrics: readonly string[];
  settings: readonly EvaluatedSetting[];
  verdict: Verdict;
}

export interface Verdict {
  /** The setting with the best mean of the first metric. */
  best: string;
  /** Settings that beat the baseline by more than their noise, best first. */
  better: readonly string[];
  /** Settings that are worse than the baseline by more than their noise, worst first. */
  worse: readonly string[];
}

/** The runs of one setting, one for each query. */
export interface SettingRuns {
  name: string;
  runs: readonly Run[];
}

/** Measures runs against judgments. Each setting has one run for each of `queries`, in their order. */
export function evaluate(
  queries: readonly string[],
  settings: readonly SettingRuns[],
  judgments: Judgments,
  metrics: readonly Metric[],
  options: BootstrapOptions = {},
): Evaluation {
  const scores = metrics.map((metric) => {
    const values = settings.map(({ runs }) =>
      queries.map((query, index) => metric.of(runs[index]?.ranking ?? [], judgments.get(query) ?? new Map())),
    );
    const [baseline = []] = values;
    const differences = values.map((own) => own.map((value, index) => difference(value, baseline[index] ?? 0)));
    const intervals = simultaneousIntervals(differences, options);
    return values.map(
      (own, setting): Score => ({
        mean: meanInterval(own, options),
        difference: intervals[setting] as Interval,
        values: own,
      }),
    );
  });
  const evaluated = settings.map(({ name, runs }, setting) => ({
    name,
    scores: Object.fromEntries(metrics.map((metric, index) => [metric.name, scores[index]?.[setting] as Score])),
    milliseconds: { p50: quantile(runs, 0.5), p95: quantile(runs, 0.95) },
    degraded: runs.filter(({ degraded }) => degraded.length > 0).length,
  }));
  return {
    queries,
    metrics: metrics.map(({ name }) => name),
    settings: evaluated,
    verdict: verdictOf(evaluated, metrics),
  };
}

function verdictOf(settings: readonly EvaluatedSetting[], metrics: readonly Metric[]): Verdict {
  const { name: metric = "", higherIsBetter = true } = metrics[0] ?? {};
  const sign = higherIsBetter ? 1 : -1;
  const gain = ({ scores }: EvaluatedSetting) => sign * (scores[metric]?.difference.mean ?? 0);
  const sorted = [...settings].sort((a, b) => gain(b) - gain(a));
  const clear = (setting: EvaluatedSetting) => {
    const { low = 0, high = 0 } = setting.scores[metric]?.difference ?? {};
    return low > 0 || high < 0;
  };
  return {
    best: sorted[0]?.name ?? "",
    better: sorted.filter((setting) => clear(setting) && gain(setting) > 0).map(({ name }) => name),
    worse: sorted
      .filter((setting) => clear(setting) && gain(setting) < 0)
      .map(({ name }) => name)
      .reverse(),
  };
}

/** Returns the milliseconds that a share of the runs does not exceed (nearest rank). */
function quantile(runs: readonly Run[], share: number): number {
  const sorted = runs.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/** Returns the verdict in a sentence. */
export function verdictText({ settings, metrics, verdict, queries }: Evaluation): string {
  const [baseline, ...others] = settings;
  const metric = metrics[0] ?? "";
  if (!baseline || others.length === 0) {
    const own = baseline?.scores[metric]?.mean;
    return own ? `${metric} of ${baseline.name} is ${shown(own.mean)} (95 % interval ${range(own)}).` : "";
  }
  const [winner] = verdict.better;
  if (winner === undefined) {
    const few = queries.length < MANY_QUERIES ? ` With ${queries.length} queries only large differences can show.` : "";
    const alike = others.flatMap(({ name, scores }) => {
      const differing = differingQueries(scores[metric], baseline.scores[metric]);
      const isFew = differing > 0 && differing < FEWEST_DIFFERENCES;
      return isFew ? [` ${name} differs in ${differing} of ${queries.length} queries, too few for any verdict.`] : [];
    });
    return `No setting beats ${baseline.name} by more than noise.${few}${alike.join("")}`;
  }
  const difference = settings.find(({ name }) => name === winner)?.scores[metric]?.difference;
  if (!difference) return "";
  return `${winner} beats ${baseline.name} by ${shown(Math.abs(difference.mean))} ${metric} (95 % interval ${range(difference)}).`;
}

/** Returns in how many queries two settings differ. */
function differingQueries(score: Score | undefined, from: Score | undefined): number {
  const before = from?.values ?? [];
  return (score?.values ?? []).filter((value, index) => difference(value, before[index] ?? 0) !== 0).length;
}

/** Below this many queries the verdict says that there are few. 50 topics are the usual size of a TREC collection. */
const MANY_QUERIES = 50;

/** Formats a value of a metric. */
export const shown = (value: number): string => value.toFixed(4);

const range = ({ low, high }: Interval) => `${shown(low)} to ${shown(high)}`;
