import type { Interval } from "@relevance/lib/platform/statistics/bootstrap.ts";
import { FEWEST_DIFFERENCES } from "@relevance/lib/platform/statistics/resampling.ts";
import { ORIGINS } from "../judgments/judgments.ts";
import type { Checked } from "../judgments/model-check.ts";
import { metricOf } from "../metrics/metric.ts";
import type { Evaluation } from "./evaluate.ts";
import { type EvaluatedSetting, shareOf } from "./scores.ts";
import { type Comparison, LEAST_JUDGED } from "./verdict.ts";

/** Formats a value of a metric. */
export const shown = (value: number): string => value.toFixed(4);

/** Formats an interval. */
export const range = ({ low, high }: Interval): string => `${shown(low)} to ${shown(high)}`;
/** Formats a share. */
export const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** Returns the verdict on every setting and how strong it is, in sentences. */
export function verdictText(evaluation: Evaluation): string {
  const { settings, metrics, verdict } = evaluation;
  const [baseline, ...others] = settings;
  const metric = metrics[0] ?? "";
  if (!baseline) return "";
  const own = baseline.scores[metric]?.mean;
  const findings =
    others.length === 0
      ? own && [`${metric} of ${baseline.name} is ${shown(own.mean)} (${intervalText(own, evaluation)}).`]
      : findingsOf(evaluation, baseline, verdict.comparisons);
  return [...(findings ?? []), strength(evaluation)].join(" ");
}

/** The table's sentence for each finding. */
export const FINDINGS: Readonly<Record<Comparison["finding"], string>> = {
  better: "better",
  worse: "worse",
  unclear: "may be noise",
  split: "no verdict: unjudged hits decide",
  declined: "no verdict: too little judged",
  unchecked: "no verdict: too little checked",
};

/**
 * Whether to show intervals: they need enough queries for a significance test, and enough human checks of the model's
 * judgments.
 */
export const hasIntervals = ({ queries, checked }: Pick<Evaluation, "queries" | "checked">, metric: string): boolean =>
  queries.length >= FEWEST_DIFFERENCES && (!checked || isChecked(checked, metric));

const isChecked = ({ queries, needed }: Checked, metric: string): boolean =>
  queries >= needed || metricOf(metric)?.needs === "nothing";

/** Whether a setting's difference has an interval: not of too few queries, or while people have checked too little of it. */
export const hasDifferenceInterval = (
  { queries, verdict }: Pick<Evaluation, "queries" | "verdict">,
  name: string,
): boolean =>
  queries.length >= FEWEST_DIFFERENCES && verdict.comparisons.find((one) => one.name === name)?.isChecked !== false;

function intervalText(mean: Interval, { queries, checked, metrics: [metric = ""] }: Evaluation): string {
  if (queries.length < FEWEST_DIFFERENCES) return `without an interval, which needs ${FEWEST_DIFFERENCES} queries`;
  if (!checked || isChecked(checked, metric)) return `95 % interval ${range(mean)}`;
  return `without an interval, since people have checked ${checked.queries} of the language model's queries, and one needs ${checked.needed}, so ${checked.needed - checked.queries} more`;
}

/** Says what a thousand searches with a setting take of a reranker; undefined if it calls none. */
export function usageText({ name, usage }: EvaluatedSetting): string | undefined {
  if (!usage) return undefined;
  const number = (count: number) => count.toLocaleString("en");
  const units = usage.units > 0 ? `, billed as ${number(usage.units)} units` : "";
  const cached = usage.cached > 0 ? `; ${number(usage.cached)} scores were in the gateway's memory` : "";
  return `${name}: a thousand searches make ${number(usage.calls)} calls of the reranker${units}${cached}`;
}

function findingsOf(evaluation: Evaluation, baseline: EvaluatedSetting, comparisons: readonly Comparison[]): string[] {
  const { queries, metrics } = evaluation;
  const metric = metrics[0] ?? "";
  const clear = comparisons.flatMap((one) => {
    const { name, finding, difference, condensed } = one;
    if (finding !== "better" && finding !== "worse") return [];
    const verb = finding === "better" ? "beats" : "is worse than";
    const sized = ({ mean, low, high }: Interval) =>
      finding === "better" ? { mean, low, high } : { mean: -mean, low: -high, high: -low };
    const judged = condensed ? `; ${shown(sized(condensed).mean)} counting judged documents only` : "";
    const size = sized(difference);
    return [
      `${name} ${verb} ${baseline.name} by ${shown(size.mean)} ${metric} (95 % interval ${range(size)}${judged}).`,
    ];
  });
  const unclear = comparisons.filter(({ finding }) => finding === "unclear");
  const alike = unclear.map(({ name, differing, detectable }) => {
    if (differing === 0) return `${name} has the ${metric} of ${baseline.name} in every query.`;
    if (differing < FEWEST_DIFFERENCES) {
      return `${name} differs in ${differing} of ${queries.length} queries, too few for any verdict.`;
    }
    return `${name} differs from ${baseline.name} by no more than noise; a difference of ${shown(detectable)} would have shown with 80 % probability.`;
  });
  return [
    ...clear,
    ...(clear.length === 0 && unclear.length === comparisons.length
      ? [`No setting beats ${baseline.name} by more than noise.`]
      : []),
    ...alike,
    ...comparisons.flatMap((one) => withoutVerdict(evaluation, baseline, one)),
  ];
}

/** Says why a setting has no verdict, and what would allow one. */
function withoutVerdict(
  { settings, checked }: Evaluation,
  baseline: EvaluatedSetting,
  { name, finding, checkedDiffering = 0 }: Comparison,
): string[] {
  if (finding === "unchecked" && checked) {
    const missing = checked.needed - checked.queries;
    const reason =
      missing > 0
        ? `people have checked ${checked.queries} of the language model's queries, and a verdict needs ${checked.needed}, so ${missing} more`
        : `by people's judgments it differs from ${baseline.name} in ${checkedDiffering} of the ${checked.queries} queries that they checked, and a verdict needs ${FEWEST_DIFFERENCES}`;
    return [`No verdict on ${name}: ${reason}. Judge the queries that Judge of the console proposes.`];
  }
  const setting = settings.find((one) => one.name === name);
  if (!setting || (finding !== "declined" && finding !== "split")) return [];
  const shares = `${percent(shareOf(setting.judged))} of its hits are judged and ${percent(shareOf(baseline.judged))} of those of ${baseline.name}`;
  if (finding === "split") {
    return [
      `No verdict on ${name}: ${shares}, and what is not judged decides which of the two is better. Judge the rest.`,
    ];
  }
  const missing = [setting, baseline].flatMap(({ name: of, judged: { hits, judged } }) => {
    const more = Math.ceil(LEAST_JUDGED * hits) - judged;
    return more > 0 ? [`${more} more of the first hits of ${of}`] : [];
  });
  return [`No verdict on ${name}: ${shares}. It needs ${percent(LEAST_JUDGED)}: judge ${missing.join(" and ")}.`];
}

/** Says what all verdicts rest on: queries, judgments and the least difference that could be seen. */
function strength(evaluation: Evaluation): string {
  const { queries, settings, verdict, origins, isComplete } = evaluation;
  const shares = settings.map(({ judged }) => shareOf(judged));
  const [lowest, highest] = [percent(Math.min(...shares)), percent(Math.max(...shares))];
  const judged = lowest === highest ? lowest : `${lowest} to ${highest}`;
  const from = ORIGINS.filter((origin) => origins[origin]).map((origin) => ORIGIN_NAMES[origin]);
  const by = from.length > 0 ? ` by ${from.join(" and ")}` : "";
  const clear = verdict.comparisons.filter(({ finding }) => finding === "better" || finding === "worse");
  const count = `${queries.length} ${queries.length === 1 ? "query" : "queries"}`;
  return [
    `From ${count}${queries.length < MANY_QUERIES ? ", which show only large differences" : ""}.`,
    isComplete
      ? `The judgments${by} list relevant documents only, so every other document counts as not relevant.`
      : `Of the first hits, ${judged} are judged${by}.`,
    ...checkText(evaluation),
    ...(clear.length > 0
      ? [
          `A difference of ${shown(Math.max(...clear.map(({ detectable }) => detectable)))} would have shown with 80 % probability.`,
        ]
      : []),
  ].join(" ");
}

/** Describes the human check of the model's judgments, and the verdict without that correction. */
function checkText({ checked, verdict, metrics }: Evaluation): string[] {
  if (!checked) return [];
  if (checked.queries === 0) return ["Nobody has checked the language model, so its error is unknown."];
  const kappa = checked.kappa === undefined ? "undefined" : checked.kappa.toFixed(2);
  const alone = verdict.comparisons.flatMap(({ name, byModel }) =>
    byModel === undefined ? [] : [`${shown(byModel)} for ${name}`],
  );
  const rests =
    checked.queries === checked.of
      ? `People judged all ${checked.of} queries of the language model, with ${checked.judgments} judgments (weighted kappa ${kappa}), so its own do not count.`
      : undefined;
  return [
    rests ??
      `People checked ${checked.queries} of the language model's ${checked.of} queries, drawn at random, with ${checked.judgments} judgments (weighted kappa ${kappa}), and these correct its error.`,
    ...(alone.length > 0 ? [`By the model alone the difference in ${metrics[0]} would be ${alone.join(", ")}.`] : []),
  ];
}

const ORIGIN_NAMES = {
  people: "people",
  clicks: "clicks",
  model: "a language model",
  import: "whoever made the imported file",
} as const;

/** Below this many queries the verdict says that there are few. 50 topics are the usual size of a TREC collection. */
const MANY_QUERIES = 50;
