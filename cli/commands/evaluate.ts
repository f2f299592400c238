import { writeFileSync } from "node:fs";
import * as v from "valibot";
import type { Evaluation, Run } from "../../lab/evaluation/evaluate.ts";
import type { Judgments } from "../../lab/judgments/judgments.ts";
import { SEARCHES } from "../../lib/core/contract/search.ts";
import { table } from "../../lib/core/table.ts";
import { type Context, defineCommand } from "../command.ts";
import { defineGatewayOptions, type Gateway, gatewayOptions, openGateway } from "../gateway/gateway.ts";
import {
  defineJudgedOptions,
  judgedOptions,
  type Limit,
  limitsOf,
  metricsOf,
  readQueries,
  readSettings,
} from "../lab/evaluation-input.ts";
import { readRun, searchAll } from "../lab/search-runs.ts";

/** `relevance evaluate`: measures settings of the search gateway against judgments. */
export const command = defineCommand({
  example: "relevance evaluate --local --settings settings.yaml --judgments judgments.csv --html report.html",
  json: true,
  define: (command) => {
    defineJudgedOptions(command, "YAML file with the index and the settings to compare; the first is the baseline");
    command
      .option(
        "--metrics <names>",
        "metrics; the first decides the verdict",
        "ndcg@10,mrr@10,precision@10,recall@100,map@100,condensed_ndcg@10,bpref,judged@10,zero_hits",
      )
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
    const metrics = await metricsOf(options.metrics);
    const limits = limitsOf(options.failBelow, metrics);
    const file = await readSettings(options.settings);
    const { queries, judgments, origins, check, warnings } = await readQueries(options, file.index, context);
    const gateway = await openGateway(options, context, SEARCHES);
    const settings = [];
    for (const setting of file.settings) {
      context.terminal.note(`${setting.name}: ${queries.length} queries`);
      settings.push({
        name: setting.name,
        runs: await searchAll(gateway, file, setting, queries, metrics, options.concurrency),
      });
    }
    const ids = queries.map(({ id }) => id);
    const { evaluate } = await import("../../lab/evaluation/evaluate.ts");
    const absent = await absentDocuments(gateway, file.index, settings, judgments);
    for (const warning of absent) context.terminal.note(`Warning: ${warning}.`);
    const evaluation = evaluate(ids, settings, judgments, metrics, {
      ...{ origins, check, warnings: [...warnings, ...absent] },
    });
    if (options.html !== undefined) {
      const { htmlReport } = await import("../../lab/evaluation/html.ts");
      writeFileSync(options.html, htmlReport(evaluation, `Evaluation of ${file.index}`));
    }
    if (options.json) context.terminal.printJson(evaluation);
    else await print(evaluation, context);
    return (await isBelow(evaluation, limits, context)) ? 1 : 0;
  },
});

/** Judged documents that are looked for if no search found one. */
const LOOKED_FOR = 1_000;

/**
 * Returns a warning if no judged document is among the hits, which says whether the index has any. A key that may not
 * search by id is no reason to fail.
 */
async function absentDocuments(
  gateway: Gateway,
  index: string,
  settings: readonly { runs: readonly Run[] }[],
  judgments: Judgments,
): Promise<string[]> {
  const judged = new Set([...judgments.values()].flatMap((grades) => [...grades.keys()]));
  if (settings.some(({ runs }) => runs.some(({ ranking }) => ranking.some((id) => judged.has(id))))) return [];
  const search_request = { size: 1, query: { ids: { values: [...judged].slice(0, LOOKED_FOR) } } };
  const body = { index, is_logging_enable: false, search_request };
  const found = await gateway.post("/application/search", body).then(readRun, () => undefined);
  if (!found || found.ranking.length > 0) return ["No search found a judged document, so every metric is 0"];
  const [example] = judged;
  return [
    `No judged document, such as ${JSON.stringify(example)}, exists in ${index}, so every metric is 0: the judgments are ` +
      "about another index, or name documents by another field than _id",
  ];
}

const collect = (value: string, before: readonly string[]): string[] => [...before, value];

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
