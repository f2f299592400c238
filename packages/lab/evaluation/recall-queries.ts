import { readFileSync } from "node:fs";
import { Failure, UsageError } from "@relevance/lib/platform/failure.ts";
import { frequentQueries } from "../clicks/queries.ts";
import type { Judgments } from "../judgments/judgments.ts";
import type { LogSource } from "../stored-log/stored-log.ts";
import { readQueries } from "./input.ts";

/** Queries of the log that are searched for. */
const MOST_QUERIES = 200;

interface QueryFiles {
  index: string;
  /** Path of a file with a text on each line. */
  queries: string | undefined;
  /** Path of a judgments file, which has queries as well. */
  judgments: string | undefined;
}

/**
 * Reads the texts to search for, and their judgments if there are any: from a file, or else the most frequent queries of the
 * log. Throws UsageError and Failure.
 */
export async function readRecallQueries(
  { index, queries: file, judgments }: QueryFiles,
  log: LogSource,
): Promise<{ texts: readonly string[]; judgments: Judgments | undefined }> {
  if (judgments !== undefined) {
    if (file !== undefined) throw new UsageError("Give either --queries or --judgments, which has queries as well");
    const read = readQueries({ judgments }, index, log.note);
    return { texts: read.queries.map(({ text }) => text), judgments: read.judgments };
  }
  if (file === undefined) return { texts: await frequentQueries(log, index, MOST_QUERIES), judgments };
  const texts = linesOf(file);
  if (texts.length > 0) return { texts, judgments };
  throw new Failure(`${file} has no queries`);
}

function linesOf(file: string): string[] {
  try {
    const lines = readFileSync(file, "utf8").split("\n");
    return [...new Set(lines.map((line) => line.trim()).filter((line) => line !== ""))];
  } catch (error) {
    throw new UsageError(`--queries: ${(error as Error).message}`, { cause: error });
  }
}
