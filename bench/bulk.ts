import { execFileSync } from "node:child_process";
import { books } from "../packages/demo-data/books.ts";
import { API_KEY, hybridIndex, startUpstreams } from "../test/fixtures/gateway.ts";
import { direct, invoke, loadGateway, startCluster } from "./gateway-setup.ts";
import { type Benchmark, bytes, load, median, ms, type Row, times } from "./result.ts";
import { startServerProcess } from "./server-process.ts";
import { takeTurns } from "./turns.ts";

const DOCUMENTS = 1_000;
const DIMENSION = 64;
const MAPPING = (dimension: number) =>
  JSON.stringify({
    settings: { index: { knn: true, number_of_shards: 1, number_of_replicas: 0, refresh_interval: "-1" } },
    mappings: {
      properties: {
        text_dense: {
          type: "knn_vector",
          dimension,
          method: { engine: "lucene", name: "hnsw", parameters: {}, space_type: "cosinesimil" },
        },
        text_sparse: { type: "rank_features" },
      },
    },
  });

/** Documents that need no embedding: with vectors, and of 1 kB of text. */
const KINDS = {
  "of 1 kB": { budget: 1.2, how: "", doc: (n: number) => ({ note: `word ${n} of a text `.repeat(28) }) },
  "with given vectors": {
    budget: 1.05,
    how: `${DIMENSION} dimensions, `,
    doc: (n: number) => ({
      text_dense: Array.from({ length: DIMENSION }, (_, k) => Number(Math.sin(n * 31 + k).toFixed(6))),
    }),
  },
};

/**
 * Compares bulk with given vectors to native `_bulk`. Measures the gateway's own time for embeddings, and its memory
 * under many requests.
 */
export const bulkBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const upstreams = await startUpstreams({ asRoot: true });
    const cluster = await startCluster();
    try {
      const rows: Row[] = [];
      for (const kind of Object.keys(KINDS) as Array<keyof typeof KINDS>)
        rows.push(await besideNative(cluster.url, kind));
      return [...rows, ...(await embeddings(cluster.url))];
    } finally {
      await cluster.stop();
      await upstreams.stop();
    }
  },
};

async function besideNative(url: string, kind: keyof typeof KINDS): Promise<Row> {
  const { budget, how, doc } = KINDS[kind];
  const handler = await loadGateway(url);
  const indexes = { ours: `ours-${budget}`, native: `native-${budget}` };
  for (const index of Object.values(indexes)) await direct(url, "PUT", `/${index}`, MAPPING(DIMENSION));
  const all = books(DOCUMENTS).map((book, n) => ({ id: `b${n}`, op: "index", doc: { ...book, ...doc(n) } }));
  const ours = JSON.stringify({ index: indexes.ours, bulk_request: all });
  const lines = all.flatMap(({ id, doc }) => [JSON.stringify({ index: { _id: id } }), JSON.stringify(doc)]);
  const native = `${lines.join("\n")}\n`;
  const sides = {
    // The answer echoes the request; parsing it is the caller's work, not the gateway's.
    ours: () => invoke(handler, "POST", "/application/bulk", ours, () => undefined),
    native: () => direct(url, "POST", `/${indexes.native}/_bulk`, native, "application/x-ndjson"),
  };
  const took = await takeTurns(sides, { calls: 60, parallel: 1 });
  const ratio = took.ours.p50 / took.native.p50;
  return {
    what: `bulk of 1,000 documents ${kind}, compared with native _bulk`,
    budget: `≤ ${budget}x`,
    reached: `${times(ratio)} at p50`,
    kept: ratio <= budget,
    note:
      `${how}${bytes(native.length)} a request: ours ${ms(took.ours.p50)}, native ${ms(took.native.p50)}. ` +
      `the gateway echoes the request; ${load()}`,
  };
}

/** The processor time that a document with an embedding of 1,024 numbers may take the gateway, in milliseconds. */
const BUDGET_A_DOCUMENT = 0.15;

/** Measures the gateway's own time as its processor time: the rest is waiting for the cluster and the models. */
async function embeddings(url: string): Promise<Row[]> {
  await direct(url, "PUT", "/embedded", MAPPING(1024));
  await direct(url, "PUT", "/dense", MAPPING(1024));
  await direct(url, "PUT", "/plain", MAPPING(1024));
  const both = hybridIndex("embedded");
  const dense = hybridIndex("dense", { embedding_mappings: both.embedding_mappings.slice(0, 1) });
  const server = await startServerProcess(url, { indexes: [both, dense] });
  const send = async (index: string, round: number, count: number) => {
    const bulk_request = books(count, round).map(({ description }, i) => ({
      id: `${round}-${i}`,
      op: "index",
      doc: { text: description },
    }));
    const headers = { "content-type": "application/json", "x-api-key": API_KEY };
    const body = JSON.stringify({ index, bulk_request });
    const answer = await fetch(`${server.url}/application/bulk`, { method: "POST", headers, body });
    const { index_response } = (await answer.json()) as { index_response?: { errors: boolean } };
    if (index_response?.errors !== false) throw new Error(`bulk failed: ${answer.status}`);
  };
  const own = { embedded: [] as number[], dense: [] as number[], plain: [] as number[] };
  const totals: number[] = [];
  try {
    for (const index of ["embedded", "dense", "plain"]) await send(index, 100, 500);
    for (let round = 0; round < 8; round += 1) {
      for (const index of ["embedded", "dense", "plain"] as const) {
        const before = await server.usage();
        const start = performance.now();
        await send(index, round, 500);
        if (index === "embedded") totals.push(performance.now() - start);
        own[index].push((await server.usage()).cpuMs - before.cpuMs);
      }
    }
    const total = median(totals);
    const bothMs = median(own.embedded);
    const denseMs = median(own.dense) / 500;
    const plainMs = median(own.plain) / 500;
    const bare = Number(execFileSync(process.execPath, ["-p", "process.memoryUsage.rss()"], { encoding: "utf8" }));
    let peak = 0;
    for (let round = 10; round < 16; round += 1) {
      await send("embedded", round, 5_000);
      peak = Math.max(peak, (await server.usage()).rss);
    }
    const last = await server.usage();
    return [
      {
        what: "processor time of a document that gets a dense embedding of 1,024 numbers",
        budget: `≤ ${BUDGET_A_DOCUMENT} ms`,
        reached: ms(denseMs),
        kept: denseMs <= BUDGET_A_DOCUMENT,
        note:
          `median of 8 × 500 documents, the local API server included; ${ms(plainMs)} for the same without embedding, ` +
          `${ms(bothMs / 500)} with a sparse one beside it; ${load()}`,
        figures: { dense_document_ms: denseMs, dense_and_sparse_document_ms: bothMs / 500 },
      },
      {
        what: "bulk with embeddings: the gateway's own time",
        budget: "≤ 10 % of the total",
        reached: `${((100 * bothMs) / total).toFixed(0)} %`,
        kept: bothMs / total <= 0.1,
        note:
          `500 documents, dense and sparse, median of 8: ${ms(total)} in all, ${ms(bothMs)} of processor time. ` +
          "The stand-in models take almost no time",
      },
      {
        what: "memory of api-router under load",
        budget: "flat, ≤ 100 MiB above Node's own",
        reached: `${bytes(peak - bare)} above a bare Node at the most, ${bytes(last.rss - bare)} after`,
        kept: peak - bare <= 100 * 1024 * 1024,
        note: `6 × 5,000 documents with embeddings after 13,500, the local API server included, bundled like the function; bare Node ${bytes(bare)}`,
      },
    ];
  } finally {
    await server.stop();
  }
}
