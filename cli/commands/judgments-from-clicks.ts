import { writeFileSync } from "node:fs";
import * as v from "valibot";
import type { Robots } from "../../lab/clicks/robots.ts";
import { defineCommand } from "../command.ts";
import { Failure } from "../errors.ts";
import { defineLogOptions, logOptions, withStoredLog } from "../lab/stored-log.ts";
import type { Terminal } from "../terminal.ts";

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
    const { writeClicks } = await import("../../lab/judgments/judgments.ts");
    const { terminal } = context;
    const { shown, idFields, robots } = await withStoredLog(options, context, async ({ log, ...period }) => {
      return shownAndClicked(log, { ...period, index: options.index });
    });
    noteRobots(robots, terminal);
    const judged = clicksOverExpected(shown, options.minImpressions);
    if (judged.length === 0) throw new Failure(nothing(shown, options));
    const foreign = idFields.filter((field) => field !== "_id");
    if (foreign.length > 0) {
      terminal.note(
        `Documents are named by ${foreign.join(", ")}, as personalized_ranking.item_id_field says, not by _id`,
      );
    }
    const table = writeClicks(judged, options.index);
    if (options.json) terminal.printJson(judged);
    else if (options.output === undefined) terminal.print(table.trimEnd());
    if (options.output !== undefined) writeFileSync(options.output, table);
    const queries = new Set(judged.map(({ query }) => query)).size;
    const impressions = judged.map((pair) => pair.impressions).sort((a, b) => a - b);
    const [least, median, most] = [0, 0.5, 1].map((share) => impressions[Math.floor(share * (impressions.length - 1))]);
    terminal.note(
      `${judged.length} judgments of ${queries} queries, from ${total(judged)} clicks; each from ${least} to ${most} ` +
        `impressions (median ${median})`,
    );
    terminal.note(
      "Documents that were not shown have no judgment: `relevance evaluate` gives no verdict on much of them",
    );
    return 0;
  },
});

function noteRobots({ clients, searches, clicks, areMost, anonymous }: Robots, terminal: Terminal): void {
  if (areMost) {
    terminal.note(
      `Warning: ${clients} clients click as robots do and have most clicks (${clicks}). They are counted, since their ids ` +
        "are probably those of applications: send a client_id or user_id for each person",
    );
  } else if (clients > 0) {
    terminal.note(
      `Left out ${clients} clients that click as robots do, with ${searches} searches and ${clicks} clicks`,
    );
  }
  if (anonymous > 0) terminal.note(`${anonymous} searches name no client, so that robots among them are counted`);
}

const total = (pairs: readonly { clicks: number }[]) => pairs.reduce((sum, { clicks }) => sum + clicks, 0);

function nothing(
  shown: readonly { clicks: number }[],
  { days, minImpressions }: { days: number; minImpressions: number },
) {
  if (shown.length === 0) return `The request log has no search with a text in the last ${days} days`;
  if (total(shown) === 0) return `No hit was clicked in the last ${days} days: send clicks to /application/events`;
  return `No document was shown ${minImpressions} times for one query: read more --days, or lower --min-impressions`;
}
