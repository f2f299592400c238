import { table } from "@relevance/lib/platform/table.ts";
import type { Evaluation } from "./evaluate.ts";
import { hasDifferenceInterval, range, shown, usageText, verdictText } from "./sentences.ts";

/** Returns an evaluation as a table, the verdict in sentences, and what models took. */
export function evaluationText(evaluation: Evaluation): string {
  const { settings, metrics } = evaluation;
  const [first = ""] = metrics;
  const rows = settings.map(({ name, scores, milliseconds }, index) => {
    const interval = scores[first]?.difference ?? { mean: 0, low: 0, high: 0 };
    const bounds = hasDifferenceInterval(evaluation, name) ? ` (${range(interval)})` : "";
    const difference = index === 0 ? "baseline" : `${shown(interval.mean)}${bounds}`;
    const means = metrics.map((metric) => shown(scores[metric]?.mean.mean ?? 0));
    return [name, ...means, difference, String(Math.round(milliseconds.p50)), String(Math.round(milliseconds.p95))];
  });
  const means = table(["setting", ...metrics, `${first} difference (95 %)`, "p50 ms", "p95 ms"], rows);
  const usage = settings.flatMap((setting) => usageText(setting) ?? []);
  return [means, `\n${verdictText(evaluation)}`, ...usage].join("\n");
}

/** Returns which settings had degraded answers, in sentences. */
export const degradedTexts = ({ settings }: Evaluation): string[] =>
  settings.flatMap(({ name, degraded, degradedReason }) =>
    degraded > 0 ? [`${name}: ${degraded} answers were degraded. The first, ${degradedReason}`] : [],
  );
