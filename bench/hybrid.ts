import { books } from "../packages/demo-data/books.ts";
import type { OpenSearchVersion } from "../packages/local/opensearch/versions.ts";
import { type FaultProxy, startFaultProxy } from "../test/fixtures/fault-proxy.ts";
import { HYBRID_MAPPING, hybridIndex, startUpstreams } from "../test/fixtures/gateway.ts";
import { direct, invoke, loadGateway, startCluster } from "./gateway-setup.ts";
import { type Benchmark, load, ms, type Row, times } from "./result.ts";
import { takeTurns } from "./turns.ts";

const DOCUMENTS = 3_000;
const PARALLEL = 16;
const QUERY = "a letter found in winter";
const INDEX = "bench-hybrid";

const requestWith = (members: object) =>
  JSON.stringify({
    index: INDEX,
    search_query: QUERY,
    search_request_template: {
      size: 10,
      ...members,
      query: {
        hybrid: {
          queries: [
            { match: { text: QUERY } },
            { knn: { text_dense: { vector: "[text_dense]", k: 100 } } },
            { bool: { should: "[text_sparse]" } },
          ],
        },
      },
    },
  });

const WITHOUT_TOTALS = { track_total_hits: false };

/** Compares hybrid search, with the query embedding cached, with sending the same native query directly. */
export const hybridBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const upstreams = await startUpstreams({ asRoot: true });
    try {
      return [
        await smallVectors("2.19.6"),
        ...(await rowsOn("2.19.6", [{ members: {}, budget: 1.05 }])),
        ...(await rowsOn("3.6.0", [{ members: WITHOUT_TOTALS, budget: 1.05 }, { members: {} }])),
      ];
    } finally {
      await upstreams.stop();
    }
  },
};

const SMALL = { dimension: 64, index: "bench-hybrid-small" };

/** Measures a search of two subqueries with small vectors, which the caller gives, so that the cluster takes little time. */
async function smallVectors(version: OpenSearchVersion): Promise<Row> {
  const { dimension, index } = SMALL;
  const cluster = await startCluster(version);
  const vector = (n: number) => Array.from({ length: dimension }, (_, k) => Number(Math.sin(n * 31 + k).toFixed(6)));
  const settings = { indexes: [{ ...hybridIndex(index), embedding_mappings: [] }] };
  try {
    const handler = await loadGateway(cluster.url, settings);
    const method = { engine: "lucene", name: "hnsw", space_type: "cosinesimil" };
    const mappings = {
      properties: { text: { type: "text" }, text_dense: { type: "knn_vector", dimension, method } },
    };
    await direct(cluster.url, "PUT", `/${index}`, JSON.stringify({ settings: { index: { knn: true } }, mappings }));
    const bulk_request = books(DOCUMENTS).map(({ description }, n) => ({
      ...{ id: String(n), op: "index" },
      doc: { text: description, text_dense: vector(n) },
    }));
    await invoke(handler, "POST", "/application/bulk", JSON.stringify({ index, refresh: true, bulk_request }));
    const queries = [{ match: { text: QUERY } }, { knn: { text_dense: { vector: vector(7), k: 100 } } }];
    const template = { size: 10, _source: ["text"], query: { hybrid: { queries } } };
    const request = JSON.stringify({ index, search_query: QUERY, search_request_template: template });
    const native = await sentBody(cluster.url, settings, request);
    const sides = {
      ours: () => invoke(handler, "POST", "/application/hybrid-search", request),
      theirs: () => direct(cluster.url, "POST", `/${index}/_search`, native),
    };
    const { ours, theirs } = await takeTurns(sides, { calls: 4_000, parallel: 1 });
    const ratio = ours.p50 / theirs.p50;
    return {
      what: `hybrid search with vectors of ${dimension} numbers on ${version}, compared with the native hybrid query with the same pipeline and depth`,
      budget: "≤ 1.05x at p50",
      reached: `${times(ratio)} at p50`,
      kept: ratio <= 1.05,
      note: `${DOCUMENTS} documents, two subqueries, one call at a time: ours ${ms(ours.p50)}, native ${ms(theirs.p50)}; ${load()}`,
    };
  } finally {
    await cluster.stop();
  }
}

interface Variant {
  members: object;
  /** Greatest ratio at p50. Without one, the row is the price of a second search that counts. */
  budget?: number;
}

async function rowsOn(version: OpenSearchVersion, variants: readonly Variant[]): Promise<Row[]> {
  const cluster = await startCluster(version);
  const settings = { indexes: [hybridIndex(INDEX)] };
  try {
    const handler = await loadGateway(cluster.url, settings);
    await direct(cluster.url, "PUT", `/${INDEX}`, JSON.stringify(HYBRID_MAPPING));
    const bulk_request = books(DOCUMENTS).map(({ description }, i) => ({
      id: String(i),
      op: "index",
      doc: { text: description },
    }));
    for (let at = 0; at < DOCUMENTS; at += 200) {
      const part = JSON.stringify({ index: INDEX, bulk_request: bulk_request.slice(at, at + 200) });
      await invoke(handler, "POST", "/application/bulk", part);
    }
    await direct(cluster.url, "POST", `/${INDEX}/_refresh`);
    const rows: Row[] = [];
    for (const { members, budget } of variants) {
      const request = requestWith(members);
      const native = await sentBody(cluster.url, settings, request);
      const sides = {
        ours: () => invoke(handler, "POST", "/application/hybrid-search", request),
        theirs: () => direct(cluster.url, "POST", `/${INDEX}/_search`, native),
      };
      const { ours, theirs } = await takeTurns(sides, { calls: 2_000, parallel: PARALLEL });
      const ratio = ours.p50 / theirs.p50;
      const totals = members === WITHOUT_TOTALS ? ", without totals" : "";
      rows.push({
        what: `hybrid search with a cached query embedding on ${version}${totals}, compared with the native hybrid query with the same pipeline and depth`,
        budget: budget === undefined ? "none: the native query counts wrong" : `≤ ${budget}x at p50`,
        reached: `${times(ratio)} at p50`,
        kept: budget === undefined ? undefined : ratio <= budget,
        note: `${DOCUMENTS} documents, three subqueries, ${PARALLEL} in parallel: ours ${ms(ours.p50)}, native ${ms(theirs.p50)}`,
      });
    }
    return rows;
  } finally {
    await cluster.stop();
  }
}

/** Returns the native hybrid query that the gateway sends, captured from the wire. */
async function sentBody(url: string, settings: object, request: string): Promise<string> {
  const proxy: FaultProxy = await startFaultProxy(url);
  try {
    await invoke(await loadGateway(proxy.url, settings), "POST", "/application/hybrid-search", request);
    return proxy.calls.find(({ body }) => body?.includes('"hybrid"'))?.body ?? "";
  } finally {
    await proxy.stop();
  }
}
