import { readFileSync } from "node:fs";
import * as v from "valibot";
import type { RecallReport } from "../../lab/evaluation/recall.ts";
import type { Judgments } from "../../lab/judgments/judgments.ts";
import { MODELS } from "../../lib/config/embedding-models.ts";
import type { HybridQuery } from "../../lib/config/hybrid-search.ts";
import { loadHybridSearch } from "../../lib/config/load.ts";
import { VECTOR_NAMES, VECTORS, type Vectors } from "../../lib/config/vectors.ts";
import { FEWEST_DIFFERENCES } from "../../lib/core/statistics/resampling.ts";
import { type DescribedIndex, describe } from "../../lib/search/index/rebuild/create.ts";
import { indices } from "../../lib/search/index/rebuild/requests.ts";
import type { RunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import { readRecord } from "../../lib/search/index/rebuild/run-record.ts";
import { copySample } from "../../lib/search/index/vector-sample.ts";
import { newStamp } from "../../lib/search/index-meta/run-names.ts";
import { fieldsOfMapping, hasPassages } from "../../lib/search/opensearch/index-catalog.ts";
import { type Context, confOf, defineCommand } from "../command.ts";
import { Failure, UsageError } from "../errors.ts";
import { entryFor, patientCluster } from "../gateway/entry.ts";
import { defineGatewayOptions, type Gateway, gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { reported, runCalls } from "../gateway/index-runs.ts";
import { requireVectors } from "../gateway/vectors.ts";
import { readQueries } from "../lab/evaluation-input.ts";
import { withStoredLog } from "../lab/stored-log.ts";
import { searchBoth } from "../lab/vector-recall.ts";

/** Queries of the log that are searched for. */
const MOST_QUERIES = 200;

const count = (message: string, pattern: RegExp) => v.pipe(v.string(), v.regex(pattern, message), v.transform(Number));

/** `relevance index recall`: measures what storing vectors differently costs, on the user's own queries. */
export const command = defineCommand({
  example: [
    "relevance index recall --index books --vectors byte --queries queries.txt",
    "relevance index recall --index books --run books-20261123-091500-a1b2 --judgments judgments.csv",
  ].join("\n  "),
  json: true,
  define: (command) => {
    command
      .requiredOption("--index <name>", "the index or alias whose documents and queries are used")
      .option(
        "--vectors <kind>",
        `copy vectors into an index that stores them so, and remove it: ${VECTOR_NAMES.join(", ")}`,
      )
      .option("--run <run>", "measure the new index of a rebuild with --no-switch instead")
      .option("--queries <file>", "texts to search for, one a line")
      .option("--judgments <file>", "judged queries, for which nDCG is measured too")
      .option("--days <number>", "without either, the most frequent queries of so many days of the request log", "30")
      .option("--files <folder>", "a copy of logs/ of the bucket (default: the bucket itself)")
      .option("--k <count>", "hits of a search that are compared", "10")
      .option("--documents <count>", "documents that are copied, roughly; recall falls as an index grows", "20000");
    defineGatewayOptions(command);
  },
  options: {
    ...gatewayOptions,
    index: v.pipe(v.string(), v.nonEmpty("needs a name")),
    vectors: v.optional(v.picklist(VECTOR_NAMES)),
    run: v.optional(v.string()),
    queries: v.optional(v.string()),
    judgments: v.optional(v.string()),
    days: count("must be a number of days from 1 to 9999", /^[1-9]\d{0,3}$/),
    files: v.optional(v.string()),
    k: count("must be from 1 to 100", /^([1-9]\d?|100)$/),
    documents: count("must be a whole number from 1", /^[1-9]\d{0,9}$/),
  },
  run: async (options, context) => {
    const { index, vectors, run, k, documents } = options;
    if ((vectors === undefined) === (run === undefined)) throw new UsageError("Give either --vectors or --run");
    const conf = confOf(options);
    const { texts, judgments } = await queriesOf({ ...options, conf }, context);
    const gateway = await openGateway(options, context, ["administration", "hybrid-search"]);
    const calls = runCalls(gateway, context);
    const { hybrid_queries: entries } = loadHybridSearch(conf);
    const entry = await reported(() => entryFor(patientCluster(calls), entries, index));
    if (!entry) throw new UsageError(`hybrid_search.yaml has no entry for ${index}, so no query can be embedded`);
    const what = { gateway, calls, entry, texts, judgments, k, context };
    const reports =
      vectors === undefined
        ? await ofRun(what, String(run))
        : await ofKind(what, { source: await reported(() => describe(calls, index)), vectors, most: documents });
    if (options.json) context.terminal.printJson(reports);
    else for (const report of reports) context.terminal.print(sentenceOf(report));
    return 0;
  },
});

interface What {
  gateway: Gateway;
  calls: RunCalls;
  entry: HybridQuery;
  texts: readonly string[];
  judgments: Judgments | undefined;
  k: number;
  context: Context;
}

interface FieldReport extends RecallReport {
  field: string;
  /** How the measured index stores them; absent for that of a run. */
  vectors?: Vectors;
  /** Documents that were compared; absent for all. */
  documents?: number;
}

/** Measures a kind of vectors on a copy of vectors alone, for each dense field. */
async function ofKind(
  what: What,
  { source, vectors, most }: { source: DescribedIndex; vectors: Vectors; most: number },
): Promise<FieldReport[]> {
  const { calls, entry, context } = what;
  if (VECTORS[vectors].of === "sparse") {
    throw new UsageError(
      `${vectors} has other tokens than the index: use \`rebuild --embed --no-switch\`, and then --run`,
    );
  }
  const mappings = fieldsOf(entry);
  await requireVectors(
    calls,
    mappings.map(({ embedding_field }) => ({ embedding_field, vectors })),
  );
  const reports: FieldReport[] = [];
  for (const mapping of mappings) {
    const { embedding_field: field } = mapping;
    const name = `${source.name}-recall-${newStamp(new Date())}`;
    try {
      const wanted = { source, name, entry: entry.index, field, vectors, most };
      const { documents, upTo } = await reported(() => copySample(calls, wanted));
      context.terminal.note(
        `${field}: copied ${documents} vectors as ${vectors}; searching for ${what.texts.length} queries`,
      );
      const report = await measured(what, mapping, { index: source.name, upTo }, name);
      reports.push({ field, vectors, documents, ...report });
    } finally {
      await reported(() => calls.unstopped.json(indices.delete({ index: name }), [404]));
    }
  }
  return reports;
}

/** Measures the new index of a rebuild, before it is switched to. */
async function ofRun(what: What, id: string): Promise<FieldReport[]> {
  const { record } = await reported(() => readRecord(what.calls, id));
  if (record.phase !== "ready") {
    throw new Failure(`The run ${id} has no index that waits for \`relevance index switch\`: rebuild with --no-switch`);
  }
  const reports: FieldReport[] = [];
  for (const mapping of what.entry.embedding_mappings) {
    const exact = { index: record.source, upTo: undefined };
    reports.push({ field: mapping.embedding_field, ...(await measured(what, mapping, exact, record.target)) });
  }
  return reports;
}

async function measured(
  { gateway, calls, entry, texts, judgments, k }: What,
  mapping: HybridQuery["embedding_mappings"][number],
  exact: { index: string; upTo: number | undefined },
  approximate: string,
): Promise<RecallReport> {
  const { recallReport } = await import("../../lab/evaluation/recall.ts");
  const candidates = Math.max(k, entry.candidates);
  const { mappings } = await reported(() => describe(calls, exact.index));
  const isOfPassages = hasPassages(fieldsOfMapping(mappings), mapping.embedding_field);
  const pairs = await searchBoth(gateway, { mapping, isOfPassages, exact, approximate, k, candidates }, texts);
  const report = recallReport(pairs, k, judgments);
  if (report) return report;
  throw new Failure(`No query found a document by ${mapping.embedding_field}: are the documents embedded?`);
}

function fieldsOf({ embedding_mappings, index }: HybridQuery) {
  const fields = embedding_mappings.filter(({ model_name }) => MODELS[model_name].kind === "dense");
  if (fields.length > 0) return fields;
  throw new UsageError(`The entry ${index} of hybrid_search.yaml has no dense embedding field`);
}

/** Returns the texts to search for, and their judgments if there are any. */
async function queriesOf(
  options: { index: string; conf: string; queries?: string | undefined; judgments?: string | undefined } & {
    days: number;
    files?: string | undefined;
    local: boolean;
  },
  context: Context,
): Promise<{ texts: readonly string[]; judgments: Judgments | undefined }> {
  const { index, queries: file, judgments } = options;
  if (judgments !== undefined) {
    if (file !== undefined) throw new UsageError("Give either --queries or --judgments, which has queries as well");
    const read = await readQueries({ judgments }, index, context);
    return { texts: read.queries.map(({ text }) => text), judgments: read.judgments };
  }
  const texts = file === undefined ? await loggedQueries(options, context) : linesOf(file);
  if (texts.length > 0) return { texts, judgments: undefined };
  throw new Failure(
    file === undefined
      ? `The request log has no search of ${index} with a text in the last ${options.days} days: give --queries`
      : `${file} has no queries`,
  );
}

async function loggedQueries(options: Parameters<typeof queriesOf>[0], context: Context): Promise<string[]> {
  const { frequentQueries } = await import("../../lab/clicks/queries.ts");
  const { index } = options;
  return withStoredLog(options, context, ({ log, ...period }) =>
    frequentQueries(log, { ...period, index, most: MOST_QUERIES }),
  );
}

function linesOf(file: string): string[] {
  try {
    const lines = readFileSync(file, "utf8").split("\n");
    return [...new Set(lines.map((line) => line.trim()).filter((line) => line !== ""))];
  } catch (error) {
    throw new UsageError(`--queries: ${(error as Error).message}`, { cause: error });
  }
}

const shown = (value: number) => value.toFixed(3);

function sentenceOf({ field, vectors, documents, queries, k, recall, ndcg, milliseconds }: FieldReport): string {
  const interval = queries < FEWEST_DIFFERENCES ? "" : ` (95 % interval ${shown(recall.low)} to ${shown(recall.high)})`;
  const parts = [
    `recall@${k} ${shown(recall.mean)}${interval} over ${queries} queries`,
    documents === undefined ? "" : `${documents} documents`,
    ndcg ? `nDCG@${k} ${shown(ndcg.approximate)} against ${shown(ndcg.exact)} over ${ndcg.queries} judged queries` : "",
    `${milliseconds.approximate} ms against ${milliseconds.exact} ms (median)`,
  ];
  return `${field}${vectors === undefined ? "" : ` as ${vectors}`}: ${parts.filter(Boolean).join(", ")}`;
}
