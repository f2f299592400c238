import { recallAt } from "../lab/evaluation/recall.ts";
import { VECTORS, type Vectors, vectorField } from "../lib/config/vectors.ts";
import { seeded } from "../lib/core/statistics/random.ts";
import { byteVector } from "../lib/search/embeddings/byte-vector.ts";
import { direct, startCluster } from "./gateway-setup.ts";
import { type Benchmark, load, median, type Row } from "./result.ts";

const COUNT = Number(process.env.BENCH_VECTORS ?? 1_000_000);
const DIMENSION = 256;
const QUERIES = 200;
const K = 10;
const CANDIDATES = 100;
const CENTRES = 500;
const BATCH = 1_000;

/** What the engine of the local server writes. */
const KINDS = ["float", "byte", "sq"] as const satisfies readonly Vectors[];

/** Files of Lucene that a search reads: the graph, and the vectors that it compares. Quantized ones have their own. */
const COMPARED: Record<(typeof KINDS)[number], string> = { float: "vec", byte: "vec", sq: "veq" };

/** Measures memory, recall and speed of the kinds of vectors that the local engine has, over planted vectors. */
export const vectorsBenchmark: Benchmark = {
  name: "vectors",
  async run(): Promise<Row[]> {
    const cluster = await startCluster("3.6.0");
    try {
      const { queries, exact } = exactSearch();
      const rows: Row[] = [];
      for (const kind of KINDS) rows.push(await measured(cluster.url, kind, queries, exact));
      return rows;
    } finally {
      await cluster.stop();
    }
  },
};

/** Returns the planted vector of a number: near one of the centres, which differ in every component. */
function planted(centres: readonly Float32Array[], random: () => number): Float32Array {
  const centre = centres[Math.floor(random() * centres.length)] as Float32Array;
  return unit(centre.map((component) => component + 0.9 * noise(random)));
}

/** Returns roughly normal noise. */
const noise = (random: () => number) => random() + random() + random() + random() - 2;

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((component) => component / length);
}

/** Returns a generator of the same vectors each time. */
function source() {
  const random = seeded(38);
  const centres = Array.from({ length: CENTRES }, () => Float32Array.from({ length: DIMENSION }, () => noise(random)));
  const queries = Array.from({ length: QUERIES }, () => planted(centres, random));
  return { queries, next: () => planted(centres, random) };
}

/** Compares every query with every vector. */
function exactSearch(): { queries: Float32Array[]; exact: string[][] } {
  const { queries, next } = source();
  const best = queries.map(() => [] as Array<{ id: number; similarity: number }>);
  for (let id = 0; id < COUNT; id += 1) {
    const vector = next();
    for (const [at, query] of queries.entries()) {
      let similarity = 0;
      for (let place = 0; place < DIMENSION; place += 1) {
        similarity += (query[place] as number) * (vector[place] as number);
      }
      const list = best[at] ?? [];
      if (list.length === K && similarity <= (list[K - 1]?.similarity ?? 0)) continue;
      const behind = list.findIndex((one) => one.similarity < similarity);
      list.splice(behind < 0 ? list.length : behind, 0, { id, similarity });
      list.length = Math.min(list.length, K);
    }
  }
  return { queries, exact: best.map((list) => list.map(({ id }) => `v${id}`)) };
}

const components = (kind: Vectors, vector: Float32Array) =>
  kind === "byte" ? byteVector([...vector]) : Array.from(vector, (component) => Number(component.toFixed(6)));

async function measured(
  url: string,
  kind: (typeof KINDS)[number],
  queries: readonly Float32Array[],
  exact: readonly (readonly string[])[],
): Promise<Row> {
  const index = `vectors-${kind}`;
  const settings = { knn: true, number_of_shards: 1, number_of_replicas: 0, refresh_interval: "-1" };
  const properties = { v: vectorField(kind, DIMENSION) };
  const mappings = { _source: { excludes: ["v"] }, properties };
  await direct(url, "PUT", `/${index}`, JSON.stringify({ settings: { index: settings }, mappings }));
  const { next } = source();
  const started = performance.now();
  for (let from = 0; from < COUNT; from += BATCH) {
    const lines = Array.from({ length: Math.min(BATCH, COUNT - from) }, (_, at) =>
      [`{"index":{"_id":"v${from + at}"}}`, JSON.stringify({ v: components(kind, next()) }), ""].join("\n"),
    );
    const answer = await direct(url, "POST", `/${index}/_bulk`, lines.join(""), "application/x-ndjson");
    if ((answer as { errors: boolean }).errors) throw new Error(`${index} rejected vectors`);
  }
  await direct(url, "POST", `/${index}/_forcemerge?max_num_segments=1`);
  await direct(url, "POST", `/${index}/_refresh`);
  const seconds = (performance.now() - started) / 1_000;
  const found: string[][] = [];
  const took: number[] = [];
  for (const query of queries) {
    const knn = { v: { vector: components(kind, query), k: CANDIDATES } };
    const before = performance.now();
    const body = JSON.stringify({ size: K, _source: false, query: { knn } });
    const answer = await direct(url, "POST", `/${index}/_search`, body);
    took.push(performance.now() - before);
    found.push((answer as { hits: { hits: Array<{ _id: string }> } }).hits.hits.map(({ _id }) => _id));
  }
  const recall = exact.reduce((sum, list, at) => sum + recallAt(list, found[at] ?? [], K), 0) / exact.length;
  const files = await filesOf(url, index);
  const graph = (files.get("vex") ?? 0) / COUNT;
  const number = (files.get(COMPARED[kind]) ?? 0) / COUNT / DIMENSION;
  await direct(url, "DELETE", `/${index}`);
  return {
    what: `${COUNT.toLocaleString("en")} vectors of ${DIMENSION} numbers as \`${kind}\``,
    budget: "none",
    reached: `${(number * DIMENSION + graph).toFixed(0)} bytes a vector, recall@${K} ${recall.toFixed(3)}, ${median(took).toFixed(1)} ms`,
    kept: undefined,
    note: `OpenSearch ${VECTORS[kind].since} and later, measured on 3.6.0, Lucene; ${CANDIDATES} candidates, ${QUERIES} queries; ${number.toFixed(2)} bytes a number and ${graph.toFixed(0)} for the graph; written in ${seconds.toFixed(0)} s. ${load()}`,
    figures: { [`${kind}_number_bytes`]: number, [`${kind}_graph_bytes`]: graph, [`${kind}_recall`]: recall },
  };
}

interface Segments {
  _all: { primaries: { segments: { file_sizes: Record<string, { size_in_bytes: number }> } } };
}

/** Returns the bytes of an index's files by their extension. */
async function filesOf(url: string, index: string): Promise<Map<string, number>> {
  const path = `/${index}/_stats/segments?include_segment_file_sizes=true`;
  const { _all } = (await direct(url, "GET", path)) as Segments;
  return new Map(Object.entries(_all.primaries.segments.file_sizes).map(([name, one]) => [name, one.size_in_bytes]));
}
