import { readFileSync } from "node:fs";
import * as v from "valibot";
import { Failure, UsageError } from "../../lib/platform/failure.ts";
import { loadHybridSearch } from "../../lib/settings/load.ts";
import { VECTOR_NAMES } from "../../lib/settings/vectors.ts";
import type { Judgments } from "../../packages/lab/judgments/judgments.ts";
import { type Context, confOf, defineCommand } from "../command.ts";
import { gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { entryOf, reported, runCalls } from "../gateway/index-runs.ts";
import { requireVectors } from "../gateway/vectors.ts";
import { Days, logSource } from "../lab/stored-log.ts";
import { filled, maybe, number, option } from "../options.ts";

/** Queries of the log that are searched for. */
const MOST_QUERIES = 200;

/** `relevance index recall`: measures what storing vectors differently costs, on the user's own queries. */
export const command = defineCommand({
  example: [
    "relevance index recall --index books --vectors byte --queries queries.txt",
    "relevance index recall --index books --run books-20261123-091500-a1b2 --judgments judgments.csv",
  ].join("\n  "),
  json: true,
  options: {
    index: option("--index <name>", "the index or alias whose documents and queries are used", filled("needs a name")),
    vectors: option(
      "--vectors <kind>",
      `copy vectors into an index that stores them so, and remove it: ${VECTOR_NAMES.join(", ")}`,
      v.optional(v.picklist(VECTOR_NAMES)),
    ),
    run: option("--run <run>", "measure the new index of a rebuild with --no-switch instead", maybe),
    queries: option("--queries <file>", "texts to search for, one a line", maybe),
    judgments: option("--judgments <file>", "judged queries, for which nDCG is measured too", maybe),
    days: option(
      "--days <number>",
      "without either, the most frequent queries of so many days of the request log",
      Days,
      { default: "30" },
    ),
    files: option("--files <folder>", "a copy of logs/ of the bucket (default: the bucket itself)", maybe),
    k: option(
      "--k <count>",
      "hits of a search that are compared",
      number(/^([1-9]\d?|100)$/, "must be from 1 to 100"),
      {
        default: "10",
      },
    ),
    documents: option(
      "--documents <count>",
      "documents that are copied, roughly; recall falls as an index grows",
      number(/^[1-9]\d{0,9}$/, "must be a whole number from 1"),
      { default: "20000" },
    ),
    ...gatewayOptions,
  },
  run: async (options, context) => {
    const { recallText } = await import("../../packages/lab/evaluation/recall-text.ts");
    const { recallOfRun, recallOfVectors } = await import("../../packages/lab/evaluation/measure-recall.ts");
    const { index, vectors, run, k, documents: most } = options;
    if ((vectors === undefined) === (run === undefined)) throw new UsageError("Give either --vectors or --run");
    const { terminal } = context;
    const conf = confOf(options);
    const { texts, judgments } = await queriesOf({ ...options, conf }, context);
    const gateway = await openGateway(options, context, ["administration", "hybrid-search"]);
    const calls = runCalls(gateway, context);
    const { hybrid_queries: entries } = loadHybridSearch(conf);
    const entry = await entryOf(calls, entries, index);
    if (!entry) throw new UsageError(`hybrid_search.yaml has no entry for ${index}, so no query can be embedded`);
    const queries = { entry, texts, judgments, k };
    const ports = { gateway, calls, note: terminal.note };
    const reports = await reported(() =>
      vectors === undefined
        ? recallOfRun(String(run), queries, ports)
        : recallOfVectors(
            { index, vectors, most, require: (mappings) => requireVectors(calls, mappings) },
            queries,
            ports,
          ),
    );
    if (options.json) terminal.printJson(reports);
    else for (const report of reports) terminal.print(recallText(report));
    return 0;
  },
});

/** Returns the texts to search for, and their judgments if there are any. */
async function queriesOf(
  options: Parameters<typeof logSource>[0] & {
    index: string;
    queries?: string | undefined;
    judgments?: string | undefined;
  },
  context: Context,
): Promise<{ texts: readonly string[]; judgments: Judgments | undefined }> {
  const { index, queries: file, judgments } = options;
  if (judgments !== undefined) {
    if (file !== undefined) throw new UsageError("Give either --queries or --judgments, which has queries as well");
    const { readQueries } = await import("../../packages/lab/evaluation/input.ts");
    const read = readQueries({ judgments }, index, context.terminal.note);
    return { texts: read.queries.map(({ text }) => text), judgments: read.judgments };
  }
  if (file === undefined) {
    const { frequentQueries } = await import("../../packages/lab/clicks/queries.ts");
    const texts = await frequentQueries(logSource(options, context), index, MOST_QUERIES);
    return { texts, judgments: undefined };
  }
  const texts = linesOf(file);
  if (texts.length > 0) return { texts, judgments: undefined };
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
