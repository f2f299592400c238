import { differenceBars, escaped, intervalChart } from "../plots/charts.ts";
import type { Evaluation } from "./evaluate.ts";
import type { EvaluatedSetting } from "./scores.ts";
import { shown, usageText, verdictText } from "./sentences.ts";

const STYLE = `
:root { color-scheme: light dark; }
body { font-family: system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; line-height: 1.5; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { text-align: right; padding: 0.2rem 0.7rem; border-bottom: 1px solid #9995; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; }
svg { max-width: 100%; height: auto; }
`;

/** Returns a report as one HTML page without scripts, which needs no other file. */
export function htmlReport(evaluation: Evaluation, title: string): string {
  const { settings, queries, metrics, verdict } = evaluation;
  const [metric = ""] = metrics;
  const [baseline, ...others] = settings;
  const best = others.find(({ name }) => name === (verdict.better[0] ?? verdict.best)) ?? others[0];
  const parts = [
    `<h1>${escaped(title)}</h1>`,
    `<p><strong>${escaped(verdictText(evaluation))}</strong></p>`,
    ...evaluation.warnings.map((warning) => `<p>Warning: ${escaped(warning)}.</p>`),
    `<p>${queries.length} queries. Intervals hold at once for all settings, with 95 % (paired bootstrap over queries).</p>`,
    "<h2>Settings</h2>",
    meansTable(evaluation),
    ...settings.flatMap((setting) => usageText(setting) ?? []).map((text) => `<p>${escaped(text)}.</p>`),
    ...(baseline && others.length > 0
      ? [
          `<h2>Difference from ${escaped(baseline.name)}</h2>`,
          intervalChart(
            `${metric}: difference from ${baseline.name}, with 95 % intervals`,
            others.map(({ name, scores }) => ({ name, interval: scores[metric]?.difference ?? NOTHING })),
          ),
          differencesTable(others, metric),
        ]
      : []),
    ...(baseline && best
      ? [
          `<h2>Queries that gain and lose: ${escaped(best.name)} against ${escaped(baseline.name)}</h2>`,
          differenceBars(
            `${metric} of ${best.name} minus ${baseline.name}, one bar for each query`,
            gains(best, baseline, metric),
          ),
          queriesTable(evaluation, best, baseline),
        ]
      : []),
  ];
  return [
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>`,
    `<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>`,
    ...parts,
    "</body></html>",
    "",
  ].join("\n");
}

const NOTHING = { mean: 0, low: 0, high: 0 };

const gains = (setting: EvaluatedSetting, baseline: EvaluatedSetting, metric: string) => {
  const before = baseline.scores[metric]?.values ?? [];
  return (setting.scores[metric]?.values ?? []).map((value, index) => value - (before[index] ?? 0));
};

function meansTable({ settings, metrics }: Evaluation): string {
  return table(
    ["setting", ...metrics, "p50 ms", "p95 ms", "degraded"],
    settings.map(({ name, scores, milliseconds, degraded }) => [
      name,
      ...metrics.map((metric) => shown(scores[metric]?.mean.mean ?? 0)),
      String(Math.round(milliseconds.p50)),
      String(Math.round(milliseconds.p95)),
      String(degraded),
    ]),
  );
}

function differencesTable(others: readonly EvaluatedSetting[], metric: string): string {
  return table(
    ["setting", `${metric} difference`, "from", "to"],
    others.map(({ name, scores }) => {
      const { mean, low, high } = scores[metric]?.difference ?? NOTHING;
      return [name, shown(mean), shown(low), shown(high)];
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
  return table(
    ["query", baseline.name, best.name, "difference"],
    rows.map(({ query, before, after, difference }) => [query, shown(before), shown(after), shown(difference)]),
  );
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], tag: "th" | "td") =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("")}</tr>`;
  const body = rows.map((cells) => row(cells, "td"));
  return `<table><thead>${row(header, "th")}</thead><tbody>\n${body.join("\n")}\n</tbody></table>`;
}
