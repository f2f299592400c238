import * as v from "valibot";
import { SEARCHES_AT_ONCE } from "../../lib/platform/contract/measuring.ts";
import { maybe, number, option } from "../options.ts";

/** How many calls a command makes at a time. */
export const Concurrency = number(/^[1-9]\d?$/, "must be a number from 1 to 99");

/** Returns the options of commands that search for judged queries. `settings` describes their file of settings. */
export const judgedOptions = (settings: string) => ({
  settings: option("--settings <file>", settings, v.string()),
  judgments: option(
    "--judgments <file>",
    "CSV query,doc,grade, an export of Quepid or OpenSearch, or TREC qrels",
    v.string(),
  ),
  queries: option(
    "--queries <file>",
    "texts of the queries by the ids in the judgments (default: the ids are the texts)",
    maybe,
  ),
  concurrency: option("--concurrency <number>", "searches at a time", Concurrency, {
    default: String(SEARCHES_AT_ONCE),
  }),
});
