import { type BootstrapOptions, type Interval, mean } from "@relevance/lib/platform/statistics/bootstrap.ts";
import { normalQuantile } from "@relevance/lib/platform/statistics/distributions.ts";
import { FEWEST_DIFFERENCES } from "@relevance/lib/platform/statistics/resampling.ts";
import type { Checked } from "../judgments/model-check.ts";
import { condensedOf, type Metric } from "../metrics/metric.ts";
import { differencesOf, errorOf, intervalsOf, type Measured } from "./correction.ts";
import { type EvaluatedSetting, shareOf } from "./scores.ts";

/**
 * What the verdict says of a setting: `declined` if too few of its hits or of the baseline's are judged, `unclear` if the
 * difference may be noise, `split` if it is clear but counting only judged documents does not confirm it, `unchecked` if
 * people have checked too little of what a language model judged.
 */
export type Finding = "better" | "worse" | "unclear" | "split" | "declined" | "unchecked";

/** A setting against the baseline. */
export interface Comparison {
  name: string;
  finding: Finding;
  /** Difference of the metric, unjudged hits counting as not relevant. All comparisons' intervals hold at once. */
  difference: Interval;
  /** The same over condensed lists, if the verdict rests on both. */
  condensed?: Interval;
  /** In how many queries the two differ. */
  differing: number;
  /** The smallest difference that would have been found clear in four of five evaluations of other such queries. */
  detectable: number;
  /** Uncorrected difference by the model's judgments; set only if human judgments correct them. */
  byModel?: number;
  /** False if people have checked too little of a language model for an interval. */
  isChecked: boolean;
  /** In how many queries of the sample the two differ by people's judgments, if a language model judged. */
  checkedDiffering?: number;
}

export interface Verdict {
  /** The setting with the best mean of the first metric. */
  best: string;
  /** Settings that beat the baseline by more than their noise, best first. */
  better: readonly string[];
  /** Settings that are worse than the baseline by more than their noise, worst first. */
  worse: readonly string[];
  /** Each setting but the baseline, best first. */
  comparisons: readonly Comparison[];
}

/**
 * The least share of judged hits for a verdict where unjudged hits are unknown rather than not relevant. Sakai and Kando
 * ("On information retrieval metrics designed for evaluation with incomplete relevance assessments", Information
 * Retrieval 11, 2008) find the order of systems to hold on condensed lists down to about half of the judgments, left out
 * at random. Judgments of what was live are not left out at random; `clicks.test.ts` of the evaluation measures the
 * verdicts at this share.
 */
export const LEAST_JUDGED = 0.6;

/** Shares of judged hits that differ by less have no effect on a metric that could be seen. */
export const SAME_SHARE = 0.02;

/** A finding of four in five is the usual power of an experiment. */
const POWER = 0.8;

/** Inputs of a verdict. */
export interface Evidence {
  metric: Metric;
  /** The baseline first. */
  settings: readonly EvaluatedSetting[];
  measure: (metric: Metric) => Measured;
  /** Whether documents without a judgment are known to be not relevant. */
  isComplete: boolean;
  checked: Checked | undefined;
  options: BootstrapOptions;
}

/**
 * Compares each setting with the baseline by the first metric.
 *
 * If the two differ in their share of judged hits, the difference must be clear with unjudged hits as not relevant and
 * over condensed lists, both in the same direction: the first favours the setting whose hits were judged, the second the
 * other one (Sakai, "Comparing metrics across TREC and NTCIR: the robustness to system bias", CIKM 2008), so that the
 * truth lies between them.
 */
export function verdictOf(evidence: Evidence): Verdict {
  const { metric, settings, checked } = evidence;
  const sign = metric.higherIsBetter ? 1 : -1;
  const scoreOf = (setting: EvaluatedSetting | undefined) => setting?.scores[metric.name];
  const gain = (setting: EvaluatedSetting) => sign * (scoreOf(setting)?.difference.mean ?? 0);
  const [baseline] = settings;
  const condensed = condensedDifferences(evidence);
  const differences = differencesOf(evidence.measure(metric));
  const comparisons = settings.slice(1).map((setting, index): Comparison => {
    const { difference: interval = NOTHING } = scoreOf(setting) ?? {};
    const needsBoth = condensed !== undefined && differsInShare(setting, baseline);
    const both = needsBoth ? condensed[index + 1] : undefined;
    const isJudged = evidence.isComplete || metric.needs === "nothing" || enough(setting, baseline);
    const own = differences.values[index + 1] ?? [];
    const differing = countDiffering(own);
    const checkedDiffering = countDiffering(differences.sample.map((place) => own[place] ?? 0));
    const isChecked =
      !checked ||
      metric.needs === "nothing" ||
      differing === 0 ||
      (checked.queries >= checked.needed && checkedDiffering >= FEWEST_DIFFERENCES);
    return {
      name: setting.name,
      finding: !isJudged ? "declined" : !isChecked ? "unchecked" : findingOf(sign, interval, both),
      difference: interval,
      isChecked,
      ...(both && { condensed: both }),
      differing,
      detectable: detectableDifference(errorOf(differences, index + 1), interval),
      ...(differences.errors && { byModel: mean(differences.uncorrected[index + 1] ?? []) }),
      ...(checked && { checkedDiffering }),
    };
  });
  const order = new Map(settings.map((setting) => [setting.name, gain(setting)]));
  comparisons.sort((a, b) => (order.get(b.name) ?? 0) - (order.get(a.name) ?? 0));
  const named = (finding: Finding) => comparisons.filter((one) => one.finding === finding).map(({ name }) => name);
  return {
    best: [...settings].sort((a, b) => gain(b) - gain(a))[0]?.name ?? "",
    better: named("better"),
    worse: named("worse").reverse(),
    comparisons,
  };
}

const NOTHING: Interval = { mean: 0, low: 0, high: 0 };

const differsInShare = (setting: EvaluatedSetting, baseline: EvaluatedSetting | undefined) =>
  baseline !== undefined && Math.abs(shareOf(setting.judged) - shareOf(baseline.judged)) >= SAME_SHARE;

const enough = (setting: EvaluatedSetting, baseline: EvaluatedSetting | undefined) =>
  [setting, baseline].every((one) => one === undefined || shareOf(one.judged) >= LEAST_JUDGED);

const countDiffering = (differences: readonly number[]) => differences.filter((value) => value !== 0).length;

/** Returns the differences from the baseline over condensed lists; undefined where they are not needed. */
function condensedDifferences({ metric, measure, isComplete, options }: Evidence) {
  const condensed = isComplete ? undefined : condensedOf(metric);
  return condensed && intervalsOf(differencesOf(measure(condensed)), options);
}

function findingOf(sign: number, interval: Interval, both: Interval | undefined): Finding {
  const direction = sign * directionOf(interval);
  if (direction === 0) return both && directionOf(both) !== 0 ? "split" : "unclear";
  if (both && sign * directionOf(both) !== direction) return "split";
  return direction > 0 ? "better" : "worse";
}

const directionOf = ({ low, high }: Interval) => (low > 0 ? 1 : high < 0 ? -1 : 0);

/**
 * Returns the minimum detectable difference: half of the interval and the margin that gives a power of 80 % (Bloom,
 * "Minimum detectable effects", Evaluation Review 19, 1995). 0 if no query differs.
 */
const detectableDifference = (error: number, { low, high }: Interval): number =>
  (high - low) / 2 + normalQuantile(1 - POWER) * error;
