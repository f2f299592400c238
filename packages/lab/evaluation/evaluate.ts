import { isDeepStrictEqual } from "node:util";
import { type BootstrapOptions, type Interval, meanInterval } from "@relevance/lib/platform/statistics/bootstrap.ts";
import { sum } from "@relevance/lib/platform/sum.ts";
import type { Judgments, Origin } from "../judgments/judgments.ts";
import { type Checked, checkedIn, type ModelCheck } from "../judgments/model-check.ts";
import type { Metric } from "../metrics/metric.ts";
import { differencesOf, intervalsOf, type Measured, measuredBy } from "./correction.ts";
import type { EvaluatedSetting, Fusion, JudgedHits, ModelUsage, Score } from "./scores.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

/** Result of one search. */
export interface Run {
  /** Document ids, best first, each once. */
  ranking: readonly string[];
  milliseconds: number;
  /** Stages that the gateway reported as degraded. */
  degraded: readonly string[];
  /** Why the first of them is; undefined if none is. */
  degradedReason?: string;
  /** Usage of a reranker. */
  usage?: ModelUsage;
  /** How subqueries were fused; undefined if none were. */
  fusedBy?: Fusion;
  /** Page content from rules: banners, redirects, other texts. */
  told?: readonly object[];
}

/** The result of an evaluation. The first setting is the baseline; the first metric decides the verdict. */
export interface Evaluation {
  queries: readonly string[];
  metrics: readonly string[];
  settings: readonly EvaluatedSetting[];
  verdict: Verdict;
  /** How many judgments each origin has. */
  origins: Readonly<Partial<Record<Origin, number>>>;
  /** Whether the judgments list relevant documents only, so that every other document counts as not relevant. */
  isComplete: boolean;
  /** How people checked a language model's judgments; undefined if no model judged. */
  checked?: Checked;
  /** Caveats about the figures, in sentences. */
  warnings: readonly string[];
}

/** Metadata of the judgments. */
export interface AboutJudgments {
  origins?: Evaluation["origins"];
  /** If a language model judged. */
  check?: ModelCheck | undefined;
  warnings?: readonly string[];
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
  { origins = {}, warnings = [], check, ...options }: AboutJudgments & BootstrapOptions = {},
): Evaluation {
  const rankings = settings.map(({ runs }) => queries.map((_, index) => runs[index]?.ranking ?? []));
  const measure = (metric: Metric) => measuredBy(metric, { queries, rankings, judgments, check });
  const scores = metrics.map((metric) => {
    const measured = measure(metric);
    const intervals = intervalsOf(differencesOf(measured), options);
    return measured.values.map(
      (values, setting): Score => ({
        mean: meanOf(measured, setting, options),
        difference: intervals[setting] as Interval,
        values,
      }),
    );
  });
  const evaluated = settings.map(({ name, runs }, setting) => ({
    name,
    scores: Object.fromEntries(metrics.map((metric, index) => [metric.name, scores[index]?.[setting] as Score])),
    milliseconds: { p50: quantile(runs, 0.5), p95: quantile(runs, 0.95) },
    degraded: runs.filter(({ degraded }) => degraded.length > 0).length,
    degradedReason: runs.find(({ degradedReason }) => degradedReason)?.degradedReason,
    judged: judgedHits(queries, runs, judgments, metrics[0]?.k),
    ...usagePerThousand(runs),
    ...fusionOf(runs),
  }));
  const isComplete = listsOnlyRelevant(judgments, origins);
  const checked = check && checkedIn(check);
  const [metric] = metrics;
  if (!metric) throw new Error("an evaluation needs a metric");
  return {
    queries,
    metrics: metrics.map(({ name }) => name),
    settings: evaluated,
    verdict: verdictOf({ metric, settings: evaluated, measure, isComplete, checked, options }),
    ...{ origins, isComplete, ...(checked && { checked }), warnings },
  };
}

function usagePerThousand(runs: readonly Run[]): Pick<EvaluatedSetting, "usage"> {
  if (!runs.some(({ usage }) => usage)) return {};
  const of = (key: keyof ModelUsage) =>
    Math.round((1_000 * sum(runs.map(({ usage }) => usage?.[key] ?? 0))) / runs.length);
  return { usage: { calls: of("calls"), units: of("units"), cached: of("cached") } };
}

function fusionOf([first, ...others]: readonly Run[]): Pick<EvaluatedSetting, "fusedBy"> {
  const { fusedBy } = first ?? {};
  return fusedBy && others.every((run) => isDeepStrictEqual(run.fusedBy, fusedBy)) ? { fusedBy } : {};
}

/** Returns the interval of a setting's own mean. */
function meanOf(
  { values, uncorrected, errors, ...rest }: Measured,
  setting: number,
  options: BootstrapOptions,
): Interval {
  if (!errors || rest.unchecked === 0) return meanInterval(values[setting] ?? [], options);
  const only = (all: Measured["values"]) => [all[setting] ?? []];
  const own = { values: only(values), uncorrected: only(uncorrected), errors: only(errors), ...rest };
  const [{ mean, low, high } = NOTHING] = intervalsOf(own, options);
  return { mean, low: Math.max(0, low), high };
}

const NOTHING: Interval = { mean: Number.NaN, low: Number.NaN, high: Number.NaN };

/** Ranks below this count little in any metric, and few people judge deeper. */
const DEEPEST = 10;

function judgedHits(
  queries: readonly string[],
  runs: readonly Run[],
  judgments: Judgments,
  k: number | undefined,
): JudgedHits {
  let [hits, judged] = [0, 0];
  for (const [index, query] of queries.entries()) {
    const first = runs[index]?.ranking.slice(0, Math.min(k ?? DEEPEST, DEEPEST)) ?? [];
    hits += first.length;
    judged += first.filter((document) => judgments.get(query)?.has(document)).length;
  }
  return { hits, judged };
}

/**
 * Returns whether judgments list relevant documents only, as those of known items and many qrels do: whoever writes such a
 * list says that everything else is not relevant. Clicks and language models never say that.
 */
export function listsOnlyRelevant(judgments: Judgments, origins: Evaluation["origins"]): boolean {
  const grades = [...judgments.values()].flatMap((one) => [...one.values()]);
  return !origins.clicks && !origins.model && grades.length > 0 && grades.every((grade) => grade > 0);
}

/** Returns the milliseconds that a share of the runs does not exceed (nearest rank). */
function quantile(runs: readonly Run[], share: number): number {
  const sorted = runs.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
