import { UsageError } from "../../lib/platform/failure.ts";
import { table } from "../../lib/platform/table.ts";
import type { SearchedQuery } from "../../packages/lab/clicks/failures.ts";
import { defineCommand } from "../command.ts";
import { logOptions, logSource } from "../lab/stored-log.ts";
import { maybe, number, option } from "../options.ts";

/** `relevance queries`: lists what people search for, and where it fails. */
export const command = defineCommand({
  example: "relevance queries --days 7 --index books --failing zero-hits",
  json: true,
  options: {
    ...logOptions,
    index: option("--index <name>", "use only searches that named this index", maybe),
    failing: option(
      "--failing <how>",
      "only queries that fail so, most failures first: zero-hits, abandoned, few-clicks, degraded or slow (default: all, most frequent first)",
      maybe,
    ),
    limit: option(
      "--limit <number>",
      "how many queries to list",
      number(/^[1-9]\d{0,5}$/, "must be a whole number from 1"),
      { default: "50" },
    ),
  },
  run: async (options, context) => {
    const { failing, FAILURES, isFailureKind } = await import("../../packages/lab/clicks/failures.ts");
    const { reportQueries } = await import("../../packages/lab/clicks/reports.ts");
    const { terminal } = context;
    const { failing: kind } = options;
    if (kind !== undefined && !isFailureKind(kind)) {
      throw new UsageError(`--failing: ${JSON.stringify(kind)} is none of ${Object.keys(FAILURES).join(", ")}`);
    }
    const queries = await reportQueries(logSource(options, context), options.index);
    const chosen = failing(queries, kind);
    const listed = chosen.slice(0, options.limit);
    if (options.json) terminal.printJson(listed);
    else terminal.print(table(HEADER, listed.map(cellsOf)));
    terminal.note(`${listed.length} of ${queries.length} queries`);
    return 0;
  },
});

const HEADER = [
  "query",
  "searches",
  "people",
  "zero hits",
  "abandoned",
  "clicks (expected)",
  "degraded",
  "slow",
  "p95 ms",
];

const cellsOf = (one: SearchedQuery): string[] => [
  one.query,
  ...[one.searches, one.people, one.zeroHits, one.abandoned].map(String),
  `${one.clicks} (${one.expectedClicks.toFixed(1)})`,
  ...[one.degraded, one.slow].map(String),
  one.p95 === null ? "" : String(Math.round(one.p95)),
];
