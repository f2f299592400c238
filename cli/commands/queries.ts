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
    const { failing, failureKind } = await import("../../packages/lab/clicks/failures.ts");
    const { reportQueries } = await import("../../packages/lab/clicks/reports.ts");
    const { queriesTable } = await import("../../packages/lab/clicks/text.ts");
    const { terminal } = context;
    const kind = failureKind(options.failing);
    const queries = await reportQueries(logSource(options, context), options.index);
    const listed = failing(queries, kind).slice(0, options.limit);
    if (options.json) terminal.printJson(listed);
    else terminal.print(queriesTable(listed));
    terminal.note(`${listed.length} of ${queries.length} queries`);
  },
});
