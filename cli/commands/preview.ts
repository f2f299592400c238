import { readFileSync } from "node:fs";
import * as v from "valibot";
import type { Run } from "../../lab/evaluation/evaluate.ts";
import type { Preview } from "../../lab/preview/preview.ts";
import { SEARCHES } from "../../lib/core/contract/search.ts";
import { table } from "../../lib/core/table.ts";
import { type Context, defineCommand } from "../command.ts";
import { UsageError } from "../errors.ts";
import { defineGatewayOptions, gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { type JudgedQueries, judgedOptions, metricsOf, readQueries, readSettings } from "../lab/evaluation-input.ts";
import { searchAll } from "../lab/search-runs.ts";

/** `relevance preview`: shows what a change does to each query of a set, before it is in use. */
export const command = defineCommand({
  example: "relevance preview --local --settings change.yaml --judgments judgments.csv --texts texts.txt",
  json: true,
  define: (command) => {
    command
      .requiredOption("--settings <file>", "YAML file as for evaluate, with two settings: before the change and after")
      .option("--judgments <file>", "judgments, whose queries are searched and measured")
      .option("--queries <file>", "texts of the queries by the ids in the judgments (default: the ids are the texts)")
      .option("--texts <file>", "texts to search for besides, one in a line")
      .option("--metric <name>", "metric that decides", "ndcg@10")
      .option("--concurrency <number>", "searches at a time", "4");
    defineGatewayOptions(command);
  },
  options: {
    ...gatewayOptions,
    ...judgedOptions,
    judgments: v.optional(v.string()),
    texts: v.optional(v.string()),
    metric: v.string(),
  },
  run: async (options, context) => {
    const { judgments: judgmentsFile, concurrency } = options;
    const file = await readSettings(options.settings);
    const [before, after, ...more] = file.settings;
    if (!before || !after || more.length > 0) {
      throw new UsageError(`${options.settings} must have two settings: one before the change and one after`);
    }
    const metrics = await metricsOf(options.metric);
    const [metric] = metrics;
    if (!metric || metrics.length > 1) throw new UsageError("--metric takes one metric");
    const judged =
      judgmentsFile === undefined
        ? NOTHING
        : await readQueries({ ...options, judgments: judgmentsFile }, file.index, context);
    const known = new Set(judged.queries.map(({ text }) => text));
    const texts = options.texts === undefined ? [] : linesOf(options.texts).filter((text) => !known.has(text));
    const queries = [...judged.queries, ...texts.map((text) => ({ id: text, text, userId: undefined }))];
    if (queries.length === 0) throw new UsageError("There is no query: give --judgments, --texts, or both");
    const gateway = await openGateway(options, context, SEARCHES);
    const runs: Run[][] = [];
    for (const setting of [before, after]) {
      context.terminal.note(`${setting.name}: ${queries.length} queries`);
      runs.push(await searchAll(gateway, file, setting, queries, metrics, concurrency));
    }
    const { evaluate } = await import("../../lab/evaluation/evaluate.ts");
    const { previewOf } = await import("../../lab/preview/preview.ts");
    const [was = [], is = []] = runs;
    // The judged queries are the first ones.
    const settings = [
      { name: before.name, runs: was.slice(0, judged.queries.length) },
      { name: after.name, runs: is.slice(0, judged.queries.length) },
    ];
    const { judgments, origins, check, warnings } = judged;
    const ids = judged.queries.map(({ id }) => id);
    const evaluation =
      ids.length === 0 ? null : evaluate(ids, settings, judgments, metrics, { origins, check, warnings });
    const names = [before.name, after.name] as const;
    const preview = previewOf({ names, queries, before: was, after: is, metric, judgments, evaluation });
    if (options.json) context.terminal.printJson(preview);
    else await print(preview, context);
    return 0;
  },
});

const NOTHING: JudgedQueries = { judgments: new Map(), queries: [], origins: {}, check: undefined, warnings: [] };

const linesOf = (file: string): string[] => {
  const lines = readFileSync(file, "utf8").split(/\r?\n/);
  return [...new Set(lines.map((line) => line.trim()))].filter((line) => line !== "");
};

async function print(preview: Preview, { terminal }: Context): Promise<void> {
  const { previewText } = await import("../../lab/preview/sentences.ts");
  const { shown } = await import("../../lab/evaluation/sentences.ts");
  const number = (value: number | null) => (value === null ? "" : shown(value));
  const rows = preview.queries.flatMap(({ query, outcome, before, after, entered, left, moved, told }) =>
    outcome === "unchanged"
      ? []
      : [
          [
            ...[query, outcome, number(before), number(after), entered.join(" "), left.join(" ")],
            [...(moved ? ["order"] : []), ...(told ? ["page"] : [])].join(", "),
          ],
        ],
  );
  const head = ["query", "outcome", preview.names[0], preview.names[1], "entered", "left", "also changed"];
  if (rows.length > 0) terminal.print(`${table(head, rows)}\n`);
  terminal.print(previewText(preview));
  for (const warning of preview.warnings) terminal.note(`Warning: ${warning}.`);
}
