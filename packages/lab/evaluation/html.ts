import type { Interval } from "@relevance/lib/platform/statistics/bootstrap.ts";
import { differenceBars, intervalChart } from "../plots/charts.ts";
import { htmlPage, htmlTable, told } from "../plots/page.ts";
import type { Evaluation } from "./evaluate.ts";
import { type EvaluatedSetting, shareOf } from "./scores.ts";
import {
  FINDINGS,
  hasDifferenceInterval,
  hasIntervals,
  percent,
  range,
  shown,
  usageText,
  verdictText,
} from "./sentences.ts";

/** Returns a report as one HTML page without scripts, which needs no other file. */
export function htmlReport(evaluation: Evaluation, title: string): string {
  const { settings, queries, metrics, verdict } = evaluation;
  const [metric = ""] = metrics;
  const [baseline, ...others] = settings;
  const best = others.find(({ name }) => name === (verdict.better[0] ?? verdict.best)) ?? others[0];
  const parts = [
    `<p><strong>${told(verdictText(evaluation))}</strong></p>`,
    ...evaluation.warnings.map((warning) => `<p>Warning: ${told(warning)}.</p>`),
    `<p>${queries.length} queries. Intervals are 95 % (bootstrap over queries); those of differences are paired and hold at once for all settings. They say nothing of unjudged hits.</p>`,
    "<h2>Settings</h2>",
    meansTable(evaluation),
    ...settings.flatMap((setting) => usageText(setting) ?? []).map((text) => `<p>${told(text)}.</p>`),
    ...(baseline && others.length > 0
      ? [
          `<h2>Difference from ${told(baseline.name)}</h2>`,
          ...differencesChart(evaluation, baseline, metric),
          differencesTable(evaluation, others, metric),
        ]
      : []),
    ...(baseline && best
      ? [
          `<h2>Queries that gain and lose: ${told(best.name)} against ${told(baseline.name)}</h2>`,
          differenceBars(
            `${metric} of ${best.name} minus ${baseline.name}, one bar for each query`,
            gains(best, baseline, metric),
          ),
          queriesTable(evaluation, best, baseline),
        ]
      : []),
  ];
  return htmlPage(title, parts);
}

const NOTHING = { mean: 0, low: 0, high: 0 };

const gains = (setting: EvaluatedSetting, baseline: EvaluatedSetting, metric: string) => {
  const before = baseline.scores[metric]?.values ?? [];
  return (setting.scores[metric]?.values ?? []).map((value, index) => value - (before[index] ?? 0));
};

function meansTable(evaluation: Evaluation): string {
  const { settings, metrics } = evaluation;
  const bounds = (mean: Interval, metric: string) => (hasIntervals(evaluation, metric) ? ` (${range(mean)})` : "");
  return htmlTable(
    ["setting", ...metrics, "judged hits", "p50 ms", "p95 ms", "degraded"],
    settings.map(({ name, scores, judged, milliseconds, degraded }) => [
      name,
      ...metrics.map((metric) => {
        const { mean = NOTHING } = scores[metric] ?? {};
        return shown(mean.mean) + bounds(mean, metric);
      }),
      percent(shareOf(judged)),
      String(Math.round(milliseconds.p50)),
      String(Math.round(milliseconds.p95)),
      String(degraded),
    ]),
  );
}

/** Draws the differences that have intervals; nothing if none has. */
function differencesChart(evaluation: Evaluation, baseline: EvaluatedSetting, metric: string): string[] {
  const drawn = evaluation.settings.slice(1).filter(({ name }) => hasDifferenceInterval(evaluation, name));
  if (drawn.length === 0) return [];
  const rows = drawn.map(({ name, scores }) => ({ name, interval: scores[metric]?.difference ?? NOTHING }));
  return [intervalChart(`${metric}: difference from ${baseline.name}, with 95 % intervals`, rows)];
}

function differencesTable(evaluation: Evaluation, others: readonly EvaluatedSetting[], metric: string): string {
  const findings = new Map(evaluation.verdict.comparisons.map(({ name, finding }) => [name, FINDINGS[finding]]));
  return htmlTable(
    ["setting", `${metric} difference`, "from", "to", "verdict"],
    others.map(({ name, scores }) => {
      const { mean, low, high } = scores[metric]?.difference ?? NOTHING;
      const bounds = hasDifferenceInterval(evaluation, name) ? [shown(low), shown(high)] : ["", ""];
      return [name, shown(mean), ...bounds, findings.get(name) ?? ""];
    }),
  );
}

function queriesTable({ queries, metrics }: Evaluation, best: EvaluatedSetting, baseline: EvaluatedSetting): string {
  const [metric = ""] = metrics;
  const differences = gains(best, baseline, metric);
  const rows = queries.map((query, index) => ({
    query,
    before: baseline.scores[metric]?.values[index] ?? 0,
    after: best.scores[metric]?.values[index] ?? 0,
    difference: differences[index] ?? 0,
  }));
  rows.sort((a, b) => b.difference - a.difference);
  return htmlTable(
    ["query", baseline.name, best.name, "difference"],
    rows.map(({ query, before, after, difference }) => [query, shown(before), shown(after), shown(difference)]),
  );
}
