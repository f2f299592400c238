import { readFileSync } from "node:fs";
import * as v from "valibot";
import { parse } from "yaml";
import { type Query, SettingsFile } from "../../lib/relevance/evaluation/settings-file.ts";
import { type Judgments, JudgmentsError } from "../../lib/relevance/judgments/judgments.ts";
import { readJudgments, readTopics, type Topic } from "../../lib/relevance/judgments/read.ts";
import { UsageError } from "../errors.ts";

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

/** Reads judgments and the queries that they judge, in the order of the file. Throws UsageError. */
export function readQueries(file: string, topicsFile?: string): { judgments: Judgments; queries: Query[] } {
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
