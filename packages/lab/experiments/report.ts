import { MEASURE_NAMES, type Measure } from "@relevance/lib/platform/experiments/measures.ts";
import { splitProbability } from "@relevance/lib/platform/experiments/split.ts";
import { normalQuantile } from "@relevance/lib/platform/statistics/distributions.ts";
import { type Ratio, ratioOf } from "@relevance/lib/platform/statistics/ratio.ts";
import { type Estimate, shareDifference, shareInterval } from "@relevance/lib/platform/statistics/share.ts";
import type { ExperimentLog, UserSums } from "./users.ts";

/** Kind of answers in an experiment. */
type Answers = "searches" | "lists";

/** The report's metrics: each a sum over a user's searches, divided by their number. */
const MEASURES = {
  click_through: {
    of: (user: UserSums) => user.clicked,
    isBetter: "higher",
    says: (of: Answers) => `${of} with a click`,
  },
  clicks_mrr: {
    of: (user: UserSums) => user.reciprocal,
    isBetter: "higher",
    says: () => "1 / rank of the first click",
  },
  zero_hits: {
    of: (user: UserSums) => user.empty,
    isBetter: "lower",
    says: (of: Answers) => `${of} without ${of === "searches" ? "hits" : "items"}`,
  },
  milliseconds: {
    of: (user: UserSums) => user.milliseconds,
    isBetter: "lower",
    says: (of: Answers) => `mean time of a ${of === "searches" ? "search" : "list"}`,
  },
} as const satisfies Record<Measure, object>;

/** Below this p-value the users are not split as configured. */
const SPLIT_ALPHA = 0.001;
/** The share of experiments without a difference that are called different. */
export const ALPHA = 0.05;
/** The share of true differences that a sample of the right size finds. */
export const POWER = 0.8;
/** Fewer users in a variant make the intervals unreliable. */
export const FEWEST_USERS = 100;
/** The relative difference that the report computes a sample size for. */
const SOUGHT_CHANGE = 0.05;

export interface VariantReport {
  name: string;
  users: number;
  searches: number;
  measures: Record<Measure, Estimate & { difference?: Estimate }>;
}

type Outcome = "better" | "worse" | "no difference";

/** The report of an experiment. The first variant is the one that the others are compared with. */
export interface ExperimentReport {
  experiment: string;
  metric: Measure;
  variants: VariantReport[];
  /** The chance of a split as uneven as this; below {@link SPLIT_ALPHA} nothing else counts. */
  split: { p: number; isAsConfigured: boolean };
  /** Of each variant but the first. */
  outcomes: { variant: string; outcome: Outcome }[];
  /** Users that each variant needs so that {@link SOUGHT_CHANGE} is found; null without any value so far. */
  usersNeeded: number | null;
  mixedUsers: number;
  anonymousSearches: number;
}

/** An experiment as it is configured. */
export interface ConfiguredExperiment {
  name: string;
  variants: readonly { name: string; share: number }[];
}

/**
 * Compares the variants of an experiment. Users are what was assigned at random, and searches of one user resemble one
 * another, so the variance of each ratio is that between users, by the delta method (Deng, Knoblich and Lu, "Applying the
 * delta method in metric analytics", KDD 2018). Intervals of shares are Wilson's, those of times normal. Those of the
 * differences hold together for all variants with 95 % (Bonferroni). The split is checked by a chi-squared test (Fabijan et al., "Diagnosing sample ratio
 * mismatch in online controlled experiments", KDD 2019).
 */
export function reportOf(
  { name, variants }: ConfiguredExperiment,
  { users, mixedUsers, anonymousSearches }: ExperimentLog,
  metric: Measure = "click_through",
): ExperimentReport {
  const byVariant = Map.groupBy(users, ({ variant }) => variant);
  const groups = variants.map((variant) => ({ ...variant, users: byVariant.get(variant.name) ?? [] }));
  const [first] = groups;
  const comparisons = Math.max(1, groups.length - 1);
  const reports = groups.map((group, index): VariantReport => {
    const measures = MEASURE_NAMES.map((measure) => {
      const own = measured(group.users, measure);
      const base = measured(first?.users ?? [], measure);
      const difference = index > 0 && { difference: differenceOf(measure, own, base, ALPHA / comparisons) };
      return [measure, { ...(isTime(measure) ? positiveInterval : shareInterval)(own, ALPHA), ...difference }];
    });
    const searches = group.users.reduce((sum, user) => sum + user.searches, 0);
    return { name: group.name, users: group.users.length, searches, measures: Object.fromEntries(measures) };
  });
  const p = splitProbability(groups.map((group) => ({ count: group.users.length, share: group.share })));
  return {
    experiment: name,
    metric,
    variants: reports,
    split: { p, isAsConfigured: p >= SPLIT_ALPHA },
    outcomes: reports.slice(1).map((variant) => ({ variant: variant.name, outcome: outcomeOf(variant, metric) })),
    usersNeeded: usersNeeded(first?.users ?? [], metric, { change: SOUGHT_CHANGE, comparisons }),
    mixedUsers,
    anonymousSearches,
  };
}

function outcomeOf({ measures }: VariantReport, metric: Measure): Outcome {
  const { low = 0, high = 0 } = measures[metric].difference ?? {};
  if (!(low > 0 || high < 0)) return "no difference";
  return low > 0 === (MEASURES[metric].isBetter === "higher") ? "better" : "worse";
}

/**
 * Returns the users that each variant needs so that a relative difference from the first variant is found with
 * {@link POWER}: 2 (z_alpha/2 + z_power)² s² / (change × value)², where s² is the variance between users. Null if the
 * value is 0 or there are no two users. Source: the usual formula for two means, as in Kohavi, Tang and Xu,
 * "Trustworthy online controlled experiments" (2020), chapter 15.
 */
export function usersNeeded(
  users: readonly UserSums[],
  metric: Measure,
  { change, comparisons = 1 }: { change: number; comparisons?: number },
): number | null {
  const { value, error } = measured(users, metric);
  if (users.length < 2 || !(value > 0)) return null;
  const quantiles = normalQuantile(ALPHA / comparisons / 2) + normalQuantile(1 - POWER);
  return Math.ceil((2 * quantiles ** 2 * error ** 2 * users.length) / (change * value) ** 2);
}

/** Returns the sum of a measure over the sum of searches and its standard error; NaN without users. */
function measured(users: readonly UserSums[], measure: Measure): Ratio {
  const { of } = MEASURES[measure];
  return ratioOf(users.map((user) => ({ sum: of(user), count: user.searches })));
}

const isTime = (measure: Measure) => measure === "milliseconds";

function differenceOf(measure: Measure, own: Ratio, base: Ratio, alpha: number): Estimate {
  if (!isTime(measure)) return shareDifference(shareInterval(own, alpha), shareInterval(base, alpha));
  return normalInterval(own.value - base.value, Math.hypot(own.error, base.error), alpha);
}

/** Returns a mean of values from 0 on, such as times, with the interval that its standard error makes. */
export function positiveInterval({ value, error }: Ratio, alpha: number): Estimate {
  const { low, high } = normalInterval(value, error, alpha);
  return { value, low: Math.max(0, low), high };
}

function normalInterval(value: number, error: number, alpha: number): Estimate {
  const width = normalQuantile(alpha / 2) * error;
  return { value, low: value - width, high: value + width };
}

/** Returns the verdict of a report in sentences: first what makes it worthless, then each variant, then what is missing. */
export function verdictLines(report: ExperimentReport, what: Answers = "searches"): string[] {
  const { variants, split, mixedUsers, anonymousSearches, usersNeeded, metric } = report;
  const lines: string[] = [];
  if (!split.isAsConfigured) {
    const counts = variants.map(({ name, users }) => `${name} ${users}`).join(", ");
    lines.push(
      `Do not trust this report: the users (${counts}) are not split as configured (p = ${split.p.toExponential(1)}). ` +
        `Changed shares during the period cause this, and so do lost ${what} of one variant.`,
    );
  }
  lines.push(...report.outcomes.map(({ variant }) => sentenceOf(report, variant, what)));
  const few = variants.filter(({ users }) => users < FEWEST_USERS).map(({ name }) => name);
  if (few.length > 0)
    lines.push(`Fewer than ${FEWEST_USERS} users in ${few.join(", ")}: the intervals are unreliable.`);
  if (usersNeeded !== null) {
    lines.push(
      `To find a relative difference of ${100 * SOUGHT_CHANGE} % in ${metric} four times out of five, each variant needs ` +
        `${usersNeeded} users.`,
    );
  }
  if (mixedUsers > 0) lines.push(`Left out: ${mixedUsers} users who were in several variants.`);
  if (anonymousSearches > 0) lines.push(`Left out: ${anonymousSearches} ${what} whose user the log does not name.`);
  return lines;
}

function sentenceOf({ variants, outcomes, metric }: ExperimentReport, name: string, of: Answers): string {
  const baseline = variants[0]?.name ?? "";
  const outcome = outcomes.find(({ variant }) => variant === name)?.outcome;
  const difference = variants.find((variant) => variant.name === name)?.measures[metric].difference;
  const digits = metric === "milliseconds" ? 1 : 4;
  const shown = (value = Number.NaN) => `${value > 0 ? "+" : ""}${value.toFixed(digits)}`;
  const numbers = `${shown(difference?.value)} (95 % interval ${shown(difference?.low)} to ${shown(difference?.high)})`;
  const what = `${metric} (${MEASURES[metric].says(of)})`;
  if (outcome === "no difference") {
    return `${name} and ${baseline} do not differ in ${what} by more than chance explains: ${numbers}.`;
  }
  return `${name} is ${outcome} than ${baseline} in ${what}: ${numbers}.`;
}
