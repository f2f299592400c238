import { execFileSync } from "node:child_process";
import { books } from "../local/demo-data/books.ts";
import { API_KEY, hybridIndex, startUpstreams } from "../test/fixtures/gateway.ts";
import { direct, invoke, loadGateway, startCluster } from "./gateway-setup.ts";
import { type Benchmark, bytes, ms, type Row, times } from "./result.ts";
import { startServerProcess } from "./server-process.ts";
import { sideBySide } from "./side-by-side.ts";

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

/** Returns documents with vectors, so that no embedding is computed. */
function documents(): Array<{ id: string; doc: object }> {
  return books(DOCUMENTS).map((book, i) => ({
    id: `b${i}`,
    doc: { ...book, text_dense: Array.from({ length: DIMENSION }, (_, k) => Number(Math.sin(i * 31 + k).toFixed(6))) },
  }));
}

/**
 * Compares bulk with given vectors to native `_bulk`. Measures the gateway's own time for embeddings, and its memory
 * under many requests.
 */
export const bulkBenchmark: Benchmark = {
  name: "bulk",
  async run(): Promise<Row[]> {
    const upstreams = await startUpstreams();
    const cluster = await startCluster();
    try {
      return [await givenVectors(cluster.url), ...(await embeddings(cluster.url))];
    } finally {
      await cluster.stop();
      await upstreams.stop();
    }
  },
};

async function givenVectors(url: string): Promise<Row> {
  const handler = await loadGateway(url);
  for (const index of ["given-ours", "given-native"]) await direct(url, "PUT", `/${index}`, MAPPING(DIMENSION));
  const all = documents();
  const bulk_request = all.map(({ id, doc }) => ({ id, op: "index", doc }));
  const ours = JSON.stringify({ index: "given-ours", bulk_request });
  const lines = all.flatMap(({ id, doc }) => [JSON.stringify({ index: { _id: id } }), JSON.stringify(doc)]);
  const native = `${lines.join("\n")}\n`;
  const { ratio, ...sides } = await sideBySide(
    // The answer echoes the request; parsing it is the caller's work, not the gateway's.
    () => invoke(handler, "POST", "/application/bulk", ours, () => undefined),
    () => direct(url, "POST", "/given-native/_bulk", native, "application/x-ndjson"),
    { calls: 60, parallel: 1, rounds: 20, warmUp: 15 },
  );
  return {
    what: "bulk of 1,000 documents with given vectors over native _bulk",
    budget: "≤ 1.15x",
    reached: `${times(ratio.p50)} at p50`,
    kept: ratio.p50 <= 1.15,
    note:
      `${DIMENSION} dimensions, ${bytes(native.length)} a request: ours ${ms(sides.ours.p50)}, native ${ms(sides.theirs.p50)}. ` +
      "the gateway reads the request twice (to validate it, then to split it into documents) and echoes it",
  };
}

/** Measures the gateway's own time as its processor time: the rest is waiting for the cluster and the models. */
async function embeddings(url: string): Promise<Row[]> {
  await direct(url, "PUT", "/embedded", MAPPING(1024));
  const server = await startServerProcess(url, { indexes: [hybridIndex("embedded")] });
  const send = async (round: number, count: number) => {
    const bulk_request = books(count, round).map(({ description }, i) => ({
      id: `${round}-${i}`,
      op: "index",
      doc: { text: description },
    }));
    const headers = { "content-type": "application/json", "x-api-key": API_KEY };
    const body = JSON.stringify({ index: "embedded", bulk_request });
    const answer = await fetch(`${server.url}/application/bulk`, { method: "POST", headers, body });
    const { index_response } = (await answer.json()) as { index_response?: { errors: boolean } };
    if (index_response?.errors !== false) throw new Error(`bulk failed: ${answer.status}`);
  };
  try {
    await send(100, 500);
    const before = await server.usage();
    const start = performance.now();
    for (let round = 0; round < 4; round += 1) await send(round, 500);
    const total = performance.now() - start;
    const after = await server.usage();
    const own = after.cpuMs - before.cpuMs;
    const bare = Number(execFileSync(process.execPath, ["-p", "process.memoryUsage.rss()"], { encoding: "utf8" }));
    let peak = after.rss;
    for (let round = 10; round < 16; round += 1) {
      await send(round, 5_000);
      peak = Math.max(peak, (await server.usage()).rss);
    }
    const last = await server.usage();
    return [
      {
        what: "bulk with embeddings: the gateway's own time",
        budget: "≤ 10 % of the total",
        reached: `${((100 * own) / total).toFixed(0)} %`,
        kept: own / total <= 0.1,
        note:
          `4 × 500 documents, dense and sparse: ${ms(total)} in all, ${ms(own)} of processor time: ` +
          `${ms(own / 2_000)} a document. The stand-in models take almost no time`,
      },
      {
        what: "memory of api-router under load",
        budget: "flat, ≤ 128 MiB above Node's own",
        reached: `${bytes(peak - bare)} above a bare Node at the most, ${bytes(last.rss - bare)} after`,
        kept: peak - bare <= 128 * 1024 * 1024,
        note: `6 × 5,000 documents with embeddings after 2,500, the local API server included; bare Node ${bytes(bare)}`,
      },
    ];
  } finally {
    await server.stop();
  }
}
