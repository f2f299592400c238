import { readFileSync } from "node:fs";
import type { Command } from "commander";
import * as v from "valibot";
import { parse } from "yaml";
import type { Query, SettingsFile } from "../../lab/evaluation/settings-file.ts";
import type { Judgments, Origin } from "../../lab/judgments/judgments.ts";
import type { ModelCheck } from "../../lab/judgments/model-check.ts";
import type { Topic } from "../../lab/judgments/read.ts";
import type { Metric } from "../../lab/metrics/metric.ts";
import type { Context } from "../command.ts";
import { UsageError } from "../errors.ts";

/** The options of commands that search for judged queries; {@link defineJudgedOptions} adds them. */
export const judgedOptions = {
  settings: v.string(),
  judgments: v.string(),
  queries: v.optional(v.string()),
  concurrency: v.pipe(v.string(), v.regex(/^[1-9]\d?$/, "must be a number from 1 to 99"), v.transform(Number)),
};

/** Adds the options of {@link judgedOptions} to a command. `settings` describes its file of settings. */
export function defineJudgedOptions(command: Command, settings: string): void {
  command
    .requiredOption("--settings <file>", settings)
    .requiredOption("--judgments <file>", "CSV query,doc,grade, an export of Quepid or OpenSearch, or TREC qrels")
    .option("--queries <file>", "texts of the queries by the ids in the judgments (default: the ids are the texts)")
    .option("--concurrency <number>", "searches at a time", "4");
}

/** Reads `--metrics ndcg@10,mrr`. Throws UsageError. */
export async function metricsOf(names: string): Promise<Metric[]> {
  const { MEASURE_NAMES, metricOf } = await import("../../lab/metrics/metric.ts");
  return names.split(",").map((name) => {
    const metric = metricOf(name.trim());
    if (metric) return metric;
    throw new UsageError(
      `--metrics: there is no metric ${JSON.stringify(name)}: choose from ${MEASURE_NAMES.join(", ")}, with a depth as in ndcg@10`,
    );
  });
}

/** A mean that must be reached. */
export interface Limit {
  metric: string;
  value: number;
}

/** Reads `--fail-below ndcg@10=0.40`, whose metric must be one of the metrics measured. Throws UsageError. */
export function limitsOf(texts: readonly string[], metrics: readonly Metric[]): Limit[] {
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

/** Reads a file of settings. Throws UsageError with every problem. */
export async function readSettings(file: string): Promise<SettingsFile> {
  const schema = (await import("../../lab/evaluation/settings-file.ts")).SettingsFile;
  const result = v.safeParse(schema, yamlOf(file));
  if (result.success) return result.output;
  throw new UsageError(`${file} is not a file of settings:\n${v.summarize(result.issues)}`);
}

function yamlOf(file: string): unknown {
  try {
    return parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Judged queries, in the order of their file. */
export interface JudgedQueries {
  judgments: Judgments;
  queries: Query[];
  /** How many judgments each origin has. */
  origins: Partial<Record<Origin, number>>;
  /** If a language model judged: its judgments and those of people that check them. */
  check: ModelCheck | undefined;
  /** What makes the judgments doubtful. */
  warnings: string[];
}

/** Reads judgments about an index and the queries that they judge, and notes what is doubtful. Throws UsageError. */
export async function readQueries(
  { judgments: file, queries: topicsFile }: { judgments: string; queries?: string | undefined },
  index: string,
  { terminal }: Context,
): Promise<JudgedQueries> {
  const { JudgmentsError } = await import("../../lab/judgments/text.ts");
  const { judgmentsOf } = await import("../../lab/judgments/judgments.ts");
  const { modelCheck } = await import("../../lab/judgments/model-check.ts");
  const { readJudgmentsFile, readTopics } = await import("../../lab/judgments/read.ts");
  const { doubtAboutTexts, doubtsAbout, judgmentsAbout } = await import("../../lab/judgments/doubts.ts");
  try {
    const read = readJudgmentsFile(file);
    const rows = judgmentsAbout(read, index);
    if (rows.length < read.rows.length) {
      terminal.note(`${read.rows.length - rows.length} judgments of ${file} are about other indexes`);
    }
    const warnings = [...doubtsAbout(rows), ...doubtAboutTexts(read, topicsFile !== undefined)];
    for (const warning of warnings) terminal.note(`Warning: ${warning}.`);
    const check = modelCheck(rows);
    const judgments = judgmentsOf(check ? rows.filter(({ query }) => check.model.has(query)) : rows);
    const unknown = new Set(rows.flatMap(({ query }) => (judgments.has(query) ? [] : [query]))).size;
    if (unknown > 0) {
      terminal.note(`Left out ${unknown} queries that the language model of the other judgments has not judged`);
    }
    const topics = topicsFile === undefined ? undefined : readTopics(topicsFile);
    const queries = [...judgments.keys()].map((id): Query => {
      const topic: Topic | undefined = topics ? topics.get(id) : { text: id, userId: undefined };
      if (topic) return { id, ...topic };
      throw new UsageError(`${topicsFile} has no query ${id}, which ${file} judges`);
    });
    const origins: JudgedQueries["origins"] = {};
    for (const { origin = "import" } of rows) origins[origin] = (origins[origin] ?? 0) + 1;
    return { judgments, queries, origins, check, warnings };
  } catch (error) {
    if (!(error instanceof JudgmentsError)) throw error;
    throw new UsageError(error.message.startsWith(file) ? error.message : `${file}: ${error.message}`, {
      cause: error,
    });
  }
}
