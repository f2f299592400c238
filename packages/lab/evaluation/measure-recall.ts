import { Failure, UsageError } from "@relevance/lib/platform/failure.ts";
import { describe } from "@relevance/lib/search/index/rebuild/create.ts";
import { indices } from "@relevance/lib/search/index/rebuild/requests.ts";
import type { RunCalls } from "@relevance/lib/search/index/rebuild/run-calls.ts";
import { readRecord } from "@relevance/lib/search/index/rebuild/run-record.ts";
import { copySample } from "@relevance/lib/search/index/vector-sample.ts";
import { newStamp } from "@relevance/lib/search/index-meta/run-names.ts";
import { fieldsOfMapping, hasPassages } from "@relevance/lib/search/opensearch/index-catalog.ts";
import { MODELS } from "@relevance/lib/settings/embedding-models.ts";
import type { EmbeddingMapping, HybridQuery } from "@relevance/lib/settings/hybrid-search.ts";
import { VECTORS, type Vectors } from "@relevance/lib/settings/vectors.ts";
import type { SearchPorts } from "../gateway/ports.ts";
import type { Judgments } from "../judgments/judgments.ts";
import { type RecallReport, recallReport } from "./recall.ts";
import { searchBoth } from "./vector-recall.ts";

interface RecallPorts extends SearchPorts {
  /** The calls to the cluster. */
  calls: RunCalls;
  /** Throws Failure if the cluster's version does not have the vectors. */
  requireVectors(mappings: readonly Pick<EmbeddingMapping, "embedding_field" | "vectors">[]): Promise<void>;
}

/** The queries of a measurement. */
interface RecallQueries {
  entry: HybridQuery;
  texts: readonly string[];
  /** For which nDCG is measured, too. */
  judgments: Judgments | undefined;
  /** Hits of a search that are compared. */
  k: number;
}

/** The recall of one embedding field. */
export interface FieldReport extends RecallReport {
  field: string;
  /** How the measured index stores them; absent for that of a run. */
  vectors?: Vectors;
  /** Documents that were compared; absent for all. */
  documents?: number;
}

interface CopiedVectors {
  /** The index or alias whose documents are copied. */
  index: string;
  vectors: Vectors;
  /** Documents that are copied, roughly. */
  most: number;
}

/**
 * Measures a kind of vectors, or without one the new index of a rebuild. Throws UsageError, Failure and RunFailure.
 */
export const measureRecall = (
  {
    vectors,
    run = "",
    ...copied
  }: Omit<CopiedVectors, "vectors"> & { vectors?: Vectors | undefined; run?: string | undefined },
  queries: RecallQueries,
  ports: RecallPorts,
): Promise<FieldReport[]> =>
  vectors === undefined ? recallOfRun(run, queries, ports) : recallOfVectors({ ...copied, vectors }, queries, ports);

/** Measures a kind of vectors on a copy of vectors alone, for each dense field; removes the copies. */
async function recallOfVectors(
  { index, vectors, most }: CopiedVectors,
  queries: RecallQueries,
  ports: RecallPorts,
): Promise<FieldReport[]> {
  const { calls, note, requireVectors } = ports;
  const { entry, texts } = queries;
  const source = await describe(calls, index);
  if (VECTORS[vectors].of === "sparse") {
    throw new UsageError(
      `${vectors} has other tokens than the index: use \`rebuild --embed --no-switch\`, and then --run`,
    );
  }
  const mappings = denseMappings(entry);
  await requireVectors(mappings.map(({ embedding_field }) => ({ embedding_field, vectors })));
  const reports: FieldReport[] = [];
  for (const mapping of mappings) {
    const { embedding_field: field } = mapping;
    const name = `${source.name}-recall-${newStamp(new Date())}`;
    try {
      const { documents, upTo } = await copySample(calls, { source, name, entry: entry.index, field, vectors, most });
      note(`${field}: copied ${documents} vectors as ${vectors}; searching for ${texts.length} queries`);
      const report = await measured(ports, queries, mapping, { index: source.name, upTo }, name);
      reports.push({ field, vectors, documents, ...report });
    } finally {
      await calls.unstopped.json(indices.delete({ index: name }), [404]);
    }
  }
  return reports;
}

/** Measures the new index of a rebuild, before it is switched to. */
async function recallOfRun(id: string, queries: RecallQueries, ports: RecallPorts): Promise<FieldReport[]> {
  const { record } = await readRecord(ports.calls, id);
  if (record.phase !== "ready") {
    throw new Failure(`The run ${id} has no index that waits for \`relevance index switch\`: rebuild with --no-switch`);
  }
  const reports: FieldReport[] = [];
  for (const mapping of queries.entry.embedding_mappings) {
    const exact = { index: record.source, upTo: undefined };
    const report = await measured(ports, queries, mapping, exact, record.target);
    reports.push({ field: mapping.embedding_field, ...report });
  }
  return reports;
}

async function measured(
  { gateway, calls }: RecallPorts,
  { entry, texts, judgments, k }: RecallQueries,
  mapping: EmbeddingMapping,
  exact: { index: string; upTo: number | undefined },
  approximate: string,
): Promise<RecallReport> {
  const candidates = Math.max(k, entry.candidates);
  const { mappings } = await describe(calls, exact.index);
  const isOfPassages = hasPassages(fieldsOfMapping(mappings), mapping.embedding_field);
  const pairs = await searchBoth(gateway, { mapping, isOfPassages, exact, approximate, k, candidates }, texts);
  const report = recallReport(pairs, k, judgments);
  if (report) return report;
  throw new Failure(`No query found a document by ${mapping.embedding_field}: are the documents embedded?`);
}

function denseMappings({ embedding_mappings, index }: HybridQuery): EmbeddingMapping[] {
  const fields = embedding_mappings.filter(({ model_name }) => MODELS[model_name].kind === "dense");
  if (fields.length > 0) return fields;
  throw new UsageError(`The entry ${index} of hybrid_search.yaml has no dense embedding field`);
}
