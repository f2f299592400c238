import { writeFileSync } from "node:fs";
import * as v from "valibot";
import type { Evaluation } from "../../lab/evaluation/evaluate.ts";
import type { Metric } from "../../lab/metrics/metric.ts";
import { EVALUATED_METRICS } from "../../lib/core/contract/measuring.ts";
import { SEARCHES } from "../../lib/core/contract/search.ts";
import { table } from "../../lib/core/table.ts";
import { type Context, defineCommand } from "../command.ts";
import { UsageError } from "../errors.ts";
import { defineGatewayOptions, gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { defineJudgedOptions, judgedOptions } from "../lab/judged-options.ts";

/** `relevance evaluate`: measures settings of the search gateway against judgments. */
export const command = defineCommand({
  example: "relevance evaluate --local --settings settings.yaml --judgments judgments.csv --html report.html",
  json: true,
  define: (command) => {
    defineJudgedOptions(command, "YAML file with the index and the settings to compare; the first is the baseline");
    command
      .option("--metrics <names>", "metrics; the first decides the verdict", EVALUATED_METRICS)
      .option(
        "--fail-below <metric=value>",
        "exit with 1 if the baseline's mean is below the value; may be repeated",
        collect,
        [],
      )
      .option("--html <file>", "write a report as one HTML page");
    defineGatewayOptions(command);
  },
  options: {
    ...gatewayOptions,
    ...judgedOptions,
    metrics: v.string(),
    failBelow: v.array(v.string()),
    html: v.optional(v.string()),
  },
  run: async (options, context) => {
    const { metricsOf, readQueries, readSettings } = await import("../../lab/evaluation/input.ts");
    const { measureSettings } = await import("../../lab/evaluation/measure-settings.ts");
    const { terminal } = context;
    const metrics = metricsOf(options.metrics);
    const limits = limitsOf(options.failBelow, metrics);
    const file = readSettings(options.settings);
    const judged = readQueries(options, file.index, terminal.note);
    const gateway = await openGateway(options, context, SEARCHES);
    const { concurrency } = options;
    const evaluation = await measureSettings({ file, judged, metrics, concurrency }, { gateway, note: terminal.note });
    if (options.html !== undefined) {
      const { htmlReport } = await import("../../lab/evaluation/html.ts");
      writeFileSync(options.html, htmlReport(evaluation, `Evaluation of ${file.index}`));
    }
    if (options.json) terminal.printJson(evaluation);
    else await print(evaluation, context);
    return (await isBelow(evaluation, limits, context)) ? 1 : 0;
  },
});

const collect = (value: string, before: readonly string[]): string[] => [...before, value];

/** A mean that must be reached. */
interface Limit {
  metric: string;
  value: number;
}

/** Reads `--fail-below ndcg@10=0.40`, whose metric must be one of the metrics measured. Throws UsageError. */
function limitsOf(texts: readonly string[], metrics: readonly Metric[]): Limit[] {
  return texts.map((text) => {
    const [metric = "", value = "", ...more] = text.split("=");
    const known = metrics.some(({ name }) => name === metric);
    if (known && value.trim() !== "" && Number.isFinite(Number(value)) && more.length === 0) {
      return { metric, value: Number(value) };
    }
    const names = metrics.map(({ name }) => name).join(", ");
    throw new UsageError(`--fail-below ${text}: write metric=value, with one of the metrics ${names}`);
  });
}

async function print(evaluation: Evaluation, { terminal }: Context): Promise<void> {
  const { hasDifferenceInterval, range, shown, usageText, verdictText } = await import(
    "../../lab/evaluation/sentences.ts"
  );
  const { settings, metrics } = evaluation;
  const [first = ""] = metrics;
  const rows = settings.map(({ name, scores, milliseconds }, index) => {
    const interval = scores[first]?.difference ?? { mean: 0, low: 0, high: 0 };
    const bounds = hasDifferenceInterval(evaluation, name) ? ` (${range(interval)})` : "";
    const difference = index === 0 ? "baseline" : `${shown(interval.mean)}${bounds}`;
    const means = metrics.map((metric) => shown(scores[metric]?.mean.mean ?? 0));
    return [name, ...means, difference, String(Math.round(milliseconds.p50)), String(Math.round(milliseconds.p95))];
  });
  terminal.print(table(["setting", ...metrics, `${first} difference (95 %)`, "p50 ms", "p95 ms"], rows));
  terminal.print(`\n${verdictText(evaluation)}`);
  for (const setting of settings) {
    const { name, degraded } = setting;
    const usage = usageText(setting);
    if (usage) terminal.print(usage);
    if (degraded > 0) terminal.note(`${name}: ${degraded} answers were degraded: parts of their searches were missing`);
  }
}

async function isBelow(
  { settings: [baseline] }: Evaluation,
  limits: readonly Limit[],
  { terminal }: Context,
): Promise<boolean> {
  const { shown } = await import("../../lab/evaluation/sentences.ts");
  const below = limits.filter(({ metric, value }) => (baseline?.scores[metric]?.mean.mean ?? 0) < value);
  for (const { metric, value } of below) {
    terminal.note(
      `${metric} of ${baseline?.name} is ${shown(baseline?.scores[metric]?.mean.mean ?? 0)}, below ${value}`,
    );
  }
  return below.length > 0;
}
