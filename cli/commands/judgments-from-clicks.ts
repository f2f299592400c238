import { writeFileSync } from "node:fs";
import { defineCommand } from "../command.ts";
import { logOptions, logSource } from "../lab/stored-log.ts";
import { maybe, number, option } from "../options.ts";

/** `relevance judgments from-clicks`: judges documents by clicks over expected clicks. */
export const command = defineCommand({
  example: "relevance judgments from-clicks --days 30 --index books --output judgments.csv",
  json: true,
  options: {
    ...logOptions,
    index: option("--index <name>", "use only searches that named this index", maybe),
    minImpressions: option(
      "--min-impressions <number>",
      "how often a document must have been shown for a query",
      number(/^[1-9]\d{0,6}$/, "must be a whole number from 1"),
      { default: "20" },
    ),
    output: option("--output <file>", "CSV file to write (default: standard output)", maybe),
  },
  run: async (options, context) => {
    const { judgeByClicks } = await import("../../packages/lab/clicks/reports.ts");
    const { writeClicks } = await import("../../packages/lab/judgments/judgments.ts");
    const { index, output } = options;
    const judged = await judgeByClicks(logSource(options, context), options);
    const table = writeClicks(judged, index);
    if (options.json) context.terminal.printJson(judged);
    else if (output === undefined) context.terminal.print(table.trimEnd());
    if (output !== undefined) writeFileSync(output, table);
  },
});
