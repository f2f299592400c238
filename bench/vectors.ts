import { recallAt, type Scored } from "../lab/evaluation/recall.ts";
import { VECTORS, type Vectors, vectorField } from "../lib/config/vectors.ts";
import { concurrently } from "../lib/core/resilience/concurrently.ts";
import { byteVector } from "../lib/search/embeddings/byte-vector.ts";
import { direct, startCluster } from "./gateway-setup.ts";
import { exactSearch, type Planted, plantedDense, plantedSparse, type Sparse } from "./planted-vectors.ts";
import { type Benchmark, load, median, type Row, wantedKinds } from "./result.ts";

const COUNT = Number(process.env.BENCH_VECTORS ?? 1_000_000);
const DIMENSION = 64;
const QUERIES = 100;
const K = 10;
const CANDIDATES = 100;
const BATCH = 1_000;
/** Documents from which on the cluster searches a segment of `sparse_vector` approximately. A smaller run lowers it. */
const APPROXIMATE_FROM = 1_000_000;
/** Bulk requests at a time. Each fills a segment of its own. */
const AT_ONCE = 2;

/** What the engine of the local server writes, in the order in which they are measured. */
const KINDS = ["float", "byte", "sq", "rank_features", "sparse_vector"] as const satisfies readonly Vectors[];
type Kind = (typeof KINDS)[number];

/** Files of Lucene that a search reads beside the graph: the vectors that it compares. Quantized ones have their own. */
const COMPARED: Partial<Record<Kind, string>> = { float: "vec", byte: "vec", sq: "veq" };

/** Holds what is written until there is one segment for each of {@link AT_ONCE}: merging a graph means making it again. */
const SERVER = {
  heap: "3g",
  settings: { "indices.memory.index_buffer_size": "45%", "plugins.neural_search.circuit_breaker.limit": "50%" },
};
const INDEX = {
  number_of_shards: 1,
  number_of_replicas: 0,
  refresh_interval: "-1",
  "translog.durability": "async",
  "translog.flush_threshold_size": "20gb",
};

/**
 * Measures memory, recall and speed of the kinds of vectors that the local engine has, over planted vectors.
 */
export const vectorsBenchmark: Benchmark = {
  name: "vectors",
  async run(): Promise<Row[]> {
    const kinds = wantedKinds(KINDS);
    // Before the cluster starts, since this takes the processor and that one the memory.
    const runs = kinds.map((kind) =>
      VECTORS[kind].of === "sparse"
        ? prepared(kind, plantedSparse(QUERIES), sparse(kind))
        : prepared(kind, plantedDense(DIMENSION, QUERIES), dense(kind)),
    );
    const cluster = await startCluster("3.6.0", SERVER);
    try {
      const rows: Row[] = [];
      for (const run of runs) rows.push(await run(cluster.url));
      return rows;
    } finally {
      await cluster.stop();
    }
  },
};

/** How a kind writes vectors and searches them. */
interface Form<V> {
  field: Record<string, unknown>;
  settings: Record<string, unknown>;
  json(vector: V): string;
  query(vector: V): object;
  /** Whether the segments become one at the end. */
  isMerged: boolean;
}

function dense(kind: Kind): Form<Float32Array> {
  const components = (vector: Float32Array) =>
    kind === "byte" ? byteVector([...vector]) : Array.from(vector, (component) => Number(component.toFixed(6)));
  return {
    field: vectorField(kind, DIMENSION),
    settings: { knn: true },
    json: (vector) => JSON.stringify(components(vector)),
    query: (vector) => ({ knn: { v: { vector: components(vector), k: CANDIDATES } } }),
    isMerged: false,
  };
}

function sparse(kind: Kind): Form<Sparse> {
  const parameters = { approximate_threshold: Math.min(COUNT, APPROXIMATE_FROM) };
  const field = vectorField(kind, undefined);
  return {
    field: kind === "sparse_vector" ? { ...field, method: { name: "seismic", parameters } } : field,
    settings: kind === "sparse_vector" ? { sparse: true } : {},
    json: (vector) => JSON.stringify(Object.fromEntries(vector)),
    query(vector) {
      const method = kind === "sparse_vector" ? { method_parameters: { k: CANDIDATES } } : {};
      return { neural_sparse: { v: { query_tokens: Object.fromEntries(vector), ...method } } };
    },
    // The approximate search is one of large segments.
    isMerged: true,
  };
}

/** Searches exactly, and returns what writes and searches a kind. */
function prepared<V>(kind: Kind, planted: Planted<V>, form: Form<V>): (url: string) => Promise<Row> {
  const exact = exactSearch(planted, COUNT, K);
  return (url) => measured(url, kind, { planted, exact }, form);
}

async function measured<V>(
  url: string,
  kind: Kind,
  { planted, exact }: { planted: Planted<V>; exact: readonly Scored[] },
  form: Form<V>,
): Promise<Row> {
  const index = `vectors-${kind}`;
  const settings = { ...INDEX, ...form.settings };
  const mappings = { _source: { excludes: ["v"] }, properties: { v: form.field } };
  await direct(url, "PUT", `/${index}`, JSON.stringify({ settings: { index: settings }, mappings }));
  const seconds = await write(url, index, planted, form);
  const found: string[][] = [];
  const took: number[] = [];
  const search = async (query: V) => {
    const body = JSON.stringify({ size: K, _source: false, query: form.query(query) });
    const before = performance.now();
    const answer = await direct(url, "POST", `/${index}/_search?request_cache=false`, body);
    took.push(performance.now() - before);
    return (answer as { hits: { hits: Array<{ _id: string }> } }).hits.hits.map(({ _id }) => _id);
  };
  // The first searches read files and compile code.
  for (const query of planted.queries) await search(query);
  took.length = 0;
  for (const query of planted.queries) found.push(await search(query));
  const recall = exact.reduce((sum, list, at) => sum + recallAt(list, found[at] ?? [], K), 0) / exact.length;
  const { memory, figures, note } = await memoryOf(url, index, kind);
  await direct(url, "DELETE", `/${index}`);
  const what = VECTORS[kind].of === "dense" ? `vectors of ${DIMENSION} numbers` : "sparse vectors";
  return {
    what: `${COUNT.toLocaleString("en")} ${what} as \`${kind}\``,
    budget: "none",
    reached: `${memory.toFixed(0)} bytes a vector, recall@${K} ${recall.toFixed(3)}, ${median(took).toFixed(1)} ms`,
    kept: undefined,
    note: `OpenSearch ${VECTORS[kind].since} and later, measured on 3.6.0, Lucene; ${CANDIDATES} candidates, ${QUERIES} queries, each once before; ${note}; written in ${seconds.toFixed(0)} s. ${load()}`,
    kind,
    figures: {
      ...figures,
      [`${kind}_vectors`]: COUNT,
      [`${kind}_recall`]: recall,
      [`${kind}_search_ms`]: median(took),
    },
  };
}

/** Writes the documents, merges them if the form says so, and returns how many seconds it took. */
async function write<V>(url: string, index: string, planted: Planted<V>, form: Form<V>): Promise<number> {
  const next = planted.documents();
  const started = performance.now();
  let written = 0;
  const batches = Array.from({ length: Math.ceil(COUNT / BATCH) });
  await concurrently(batches, AT_ONCE, async () => {
    const first = written;
    written = Math.min(COUNT, first + BATCH);
    let lines = "";
    for (let id = first; id < written; id += 1) lines += `{"index":{"_id":"v${id}"}}\n{"v":${form.json(next())}}\n`;
    const answer = await direct(url, "POST", `/${index}/_bulk`, lines, "application/x-ndjson");
    if ((answer as { errors: boolean }).errors) {
      throw new Error(`${index} rejected vectors: ${JSON.stringify(answer).slice(0, 500)}`);
    }
    if (written % 50_000 === 0) console.error(`  ${index}: ${written} in ${seconds(started)} s`);
  });
  await direct(url, "POST", `/${index}/_refresh`);
  if (form.isMerged) await direct(url, "POST", `/${index}/_forcemerge?max_num_segments=1`);
  await direct(url, "POST", `/${index}/_refresh`);
  return seconds(started);
}

const seconds = (since: number) => Math.round((performance.now() - since) / 1_000);

interface Memory {
  /** Bytes of a vector. */
  memory: number;
  figures: Record<string, number>;
  note: string;
}

/** Returns the bytes that a search of a kind reads for each vector, by the sizes of files and what the cluster counts. */
async function memoryOf(url: string, index: string, kind: Kind): Promise<Memory> {
  const files = await filesOf(url, index);
  const compared = COMPARED[kind];
  if (compared) {
    const graph = (files.get("vex") ?? 0) / COUNT;
    const number = (files.get(compared) ?? 0) / COUNT / DIMENSION;
    return {
      memory: number * DIMENSION + graph,
      figures: { [`${kind}_number_bytes`]: number, [`${kind}_graph_bytes`]: graph },
      note: `${number.toFixed(2)} bytes a number and ${graph.toFixed(0)} for the graph`,
    };
  }
  const postings = ["doc", "tim", "tip", "pos", "pay"].reduce((sum, name) => sum + (files.get(name) ?? 0), 0) / COUNT;
  const heap = kind === "sparse_vector" ? (await sparseMemory(url)) / COUNT : 0;
  return {
    memory: postings + heap,
    figures: { [`${kind}_document_bytes`]: postings + heap },
    note: `${postings.toFixed(0)} bytes of postings${heap > 0 ? ` and ${heap.toFixed(0)} of heap` : ""}`,
  };
}

/** Returns the bytes of heap that sparse vectors take. */
async function sparseMemory(url: string): Promise<number> {
  const { nodes } = (await direct(url, "GET", "/_nodes/stats/breaker")) as {
    nodes: Record<string, { breakers: { neural_search: { estimated_size_in_bytes: number } } }>;
  };
  return Object.values(nodes).reduce((sum, { breakers }) => sum + breakers.neural_search.estimated_size_in_bytes, 0);
}

interface Segments {
  _all: { primaries: { segments: { file_sizes: Record<string, { size_in_bytes: number }> } } };
}

/** Returns the bytes of an index's files by their extension. */
async function filesOf(url: string, index: string): Promise<Map<string, number>> {
  const path = `/${index}/_stats/segments?include_segment_file_sizes=true`;
  const { _all } = (await direct(url, "GET", path)) as Segments;
  const { file_sizes } = _all.primaries.segments;
  return new Map(Object.entries(file_sizes).map(([name, one]) => [name, one.size_in_bytes]));
}
