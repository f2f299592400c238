import type { Command } from "commander";
import * as v from "valibot";
import { SEARCHES_AT_ONCE } from "../../lib/platform/contract/measuring.ts";

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
    .option("--concurrency <number>", "searches at a time", String(SEARCHES_AT_ONCE));
}
