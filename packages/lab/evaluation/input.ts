import { readFileSync } from "node:fs";
import { UsageError } from "@relevance/lib/platform/failure.ts";
import * as v from "valibot";
import { parse } from "yaml";
import { doubtAboutTexts, doubtsAbout, judgmentsAbout } from "../judgments/doubts.ts";
import { type Judgments, judgmentsOf, type Origin } from "../judgments/judgments.ts";
import { type ModelCheck, modelCheck } from "../judgments/model-check.ts";
import { readJudgmentsFile, readTopics, type Topic } from "../judgments/read.ts";
import { JudgmentsError } from "../judgments/text.ts";
import { MEASURE_NAMES, type Metric, metricOf } from "../metrics/metric.ts";
import { type Query, SettingsFile } from "./settings-file.ts";

/** Reads `--metrics ndcg@10,mrr`. Throws UsageError. */
export function metricsOf(names: string): Metric[] {
  return names.split(",").map((name) => {
    const metric = metricOf(name.trim());
    if (metric) return metric;
    throw new UsageError(
      `--metrics: there is no metric ${JSON.stringify(name)}: choose from ${MEASURE_NAMES.join(", ")}, with a depth as in ndcg@10`,
    );
  });
}

/** Reads a file of settings. Throws UsageError with every problem. */
export function readSettings(file: string): SettingsFile {
  const result = v.safeParse(SettingsFile, yamlOf(file));
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
  /** Caveats about the judgments. */
  warnings: string[];
}

/** Reads judgments about an index and the queries that they judge, and notes what is doubtful. Throws UsageError. */
export function readQueries(
  { judgments: file, queries: topicsFile }: { judgments: string; queries?: string | undefined },
  index: string,
  note: (line: string) => void,
): JudgedQueries {
  try {
    const read = readJudgmentsFile(file);
    const rows = judgmentsAbout(read, index);
    if (rows.length < read.rows.length) {
      note(`${read.rows.length - rows.length} judgments of ${file} are about other indexes`);
    }
    const warnings = [...doubtsAbout(rows), ...doubtAboutTexts(read, topicsFile !== undefined)];
    for (const warning of warnings) note(`Warning: ${warning}.`);
    const check = modelCheck(rows);
    const judgments = judgmentsOf(check ? rows.filter(({ query }) => check.model.has(query)) : rows);
    const unknown = new Set(rows.flatMap(({ query }) => (judgments.has(query) ? [] : [query]))).size;
    if (unknown > 0) {
      note(`Left out ${unknown} queries that the language model of the other judgments has not judged`);
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
