import * as v from "valibot";
import { UsageError } from "../../lib/platform/failure.ts";
import { loadHybridSearch } from "../../lib/settings/load.ts";
import { VECTOR_NAMES } from "../../lib/settings/vectors.ts";
import { confOf, defineCommand } from "../command.ts";
import { gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { entryOf, reported, runCalls } from "../gateway/index-runs.ts";
import { requireVectors } from "../gateway/vectors.ts";
import { Days, logSource } from "../lab/stored-log.ts";
import { filled, maybe, number, option } from "../options.ts";

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
      { default: "10" },
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
    const { measureRecall } = await import("../../packages/lab/evaluation/measure-recall.ts");
    const { readRecallQueries } = await import("../../packages/lab/evaluation/recall-queries.ts");
    const { index, vectors, run, k, documents: most } = options;
    if ((vectors === undefined) === (run === undefined)) throw new UsageError("Give either --vectors or --run");
    const { terminal } = context;
    const conf = confOf(options);
    const read = await readRecallQueries(options, logSource({ ...options, conf }, context));
    const gateway = await openGateway(options, context, ["administration", "hybrid-search"]);
    const calls = runCalls(gateway, context);
    const entry = await entryOf(calls, loadHybridSearch(conf).hybrid_queries, index);
    if (!entry) throw new UsageError(`hybrid_search.yaml has no entry for ${index}, so no query can be embedded`);
    const ports = {
      ...{ gateway, calls, note: terminal.note },
      requireVectors: (mappings: Parameters<typeof requireVectors>[1]) => requireVectors(calls, mappings),
    };
    const reports = await reported(() => measureRecall({ index, vectors, run, most }, { ...read, entry, k }, ports));
    if (options.json) terminal.printJson(reports);
    else for (const report of reports) terminal.print(recallText(report));
  },
});
