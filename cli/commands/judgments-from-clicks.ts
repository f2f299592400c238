import { writeFileSync } from "node:fs";
import * as v from "valibot";
import { defineCommand } from "../command.ts";
import { Failure } from "../errors.ts";
import { defineLogOptions, logOptions, withStoredLog } from "../lab/stored-log.ts";

/** `relevance judgments from-clicks`: judges documents by clicks over expected clicks. */
export const command = defineCommand({
  example: "relevance judgments from-clicks --days 30 --index books --output judgments.csv",
  json: true,
  define: (command) => {
    defineLogOptions(command);
    command
      .option("--index <name>", "use only searches that named this index")
      .option("--min-impressions <number>", "how often a document must have been shown for a query", "20")
      .option("--output <file>", "CSV file to write (default: standard output)");
  },
  options: {
    ...logOptions,
    index: v.optional(v.string()),
    minImpressions: v.pipe(v.string(), v.regex(/^[1-9]\d{0,6}$/, "must be a whole number from 1"), v.transform(Number)),
    output: v.optional(v.string()),
  },
  run: async (options, context) => {
    const { clicksOverExpected, shownAndClicked } = await import("../../lab/clicks/coec.ts");
    const { writeTable } = await import("../../lab/judgments/judgments.ts");
    const { terminal } = context;
    const { shown, idFields } = await withStoredLog(options, context, async ({ log, ...period }) => {
      return shownAndClicked(log, { ...period, index: options.index });
    });
    const judged = clicksOverExpected(shown, options.minImpressions);
    if (judged.length === 0) throw new Failure(nothing(shown, options));
    const foreign = idFields.filter((field) => field !== "_id");
    if (foreign.length > 0) {
      terminal.note(
        `Documents are named by ${foreign.join(", ")}, as personalized_ranking.item_id_field says, not by _id`,
      );
    }
    if (options.json) terminal.printJson(judged);
    else if (options.output === undefined) terminal.print(writeTable(judged).trimEnd());
    if (options.output !== undefined) writeFileSync(options.output, writeTable(judged));
    const queries = new Set(judged.map(({ query }) => query)).size;
    terminal.note(`${judged.length} judgments of ${queries} queries, from ${total(judged)} clicks`);
    return 0;
  },
});

const total = (pairs: readonly { clicks: number }[]) => pairs.reduce((sum, { clicks }) => sum + clicks, 0);

function nothing(
  shown: readonly { clicks: number }[],
  { days, minImpressions }: { days: number; minImpressions: number },
) {
  if (shown.length === 0) return `The request log has no search with a text in the last ${days} days`;
  if (total(shown) === 0) return `No hit was clicked in the last ${days} days: send clicks to /application/events`;
  return `No document was shown ${minImpressions} times for one query: read more --days, or lower --min-impressions`;
}
