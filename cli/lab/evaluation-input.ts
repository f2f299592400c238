import { readFileSync } from "node:fs";
import type { Command } from "commander";
import * as v from "valibot";
import { parse } from "yaml";
import type { Query, SettingsFile } from "../../lab/evaluation/settings-file.ts";
import type { Judgments } from "../../lab/judgments/judgments.ts";
import type { Topic } from "../../lab/judgments/read.ts";
import type { Metric } from "../../lab/metrics/metric.ts";
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
    .requiredOption("--judgments <file>", "TREC qrels, CSV query,doc,grade, an export of Quepid, or UBI judgments")
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

/** Reads judgments and the queries that they judge, in the order of the file. Throws UsageError. */
export async function readQueries(
  file: string,
  topicsFile?: string,
): Promise<{ judgments: Judgments; queries: Query[] }> {
  const { JudgmentsError } = await import("../../lab/judgments/judgments.ts");
  const { readJudgments, readTopics } = await import("../../lab/judgments/read.ts");
  try {
    const judgments = readJudgments(file);
    const topics = topicsFile === undefined ? undefined : readTopics(topicsFile);
    const queries = [...judgments.keys()].map((id): Query => {
      const topic: Topic | undefined = topics ? topics.get(id) : { text: id, userId: undefined };
      if (topic) return { id, ...topic };
      throw new UsageError(`${topicsFile} has no query ${id}, which ${file} judges`);
    });
    return { judgments, queries };
  } catch (error) {
    if (error instanceof JudgmentsError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
