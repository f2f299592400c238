// Does a write that changes no mapping leave the next search as fast as it was?
import { HYBRID_MAPPING, hybridIndex, startUpstreams } from "../test/fixtures/gateway.ts";
import { direct, invoke, loadGateway, startCluster } from "./gateway-setup.ts";
import { type Benchmark, load, median, ms, type Row } from "./result.ts";

/** Of more shards than 512, the cluster fails to merge the hits of a hybrid query ("topDocs already consumed"). */
const INDEXES = 500;
const FIELDS = 300;
const ROUNDS = 40;
const ALIAS = "bench-catalog";
const WIDE = "bench-wide";
const BUDGET = 1;

/**
 * Measures the processor time that a document written through the raw backend adds to the next hybrid search, which would
 * have to read the mappings again if the write dropped them: by an alias of many indexes, and of one with many fields.
 */
export const catalogBenchmark: Benchmark = {
  name: "catalog",
  async run(): Promise<Row[]> {
    const upstreams = await startUpstreams({ asRoot: true });
    const cluster = await startCluster("2.19.6", { settings: { "cluster.max_shards_per_node": 2 * INDEXES } });
    try {
      const handler = await loadGateway(cluster.url, { indexes: [hybridIndex(`${ALIAS}-*`), hybridIndex(WIDE)] });
      const post = (path: string, body: object) => invoke(handler, "POST", path, JSON.stringify(body));
      await makeIndexes(cluster.url);
      const rows: Row[] = [];
      for (const { index, written, title } of [
        { index: ALIAS, written: `${ALIAS}-1`, title: `an alias of ${INDEXES} indexes` },
        { index: WIDE, written: WIDE, title: `an index with ${FIELDS} fields` },
      ]) {
        const search = (round: number) => processorTime(() => post("/application/hybrid-search", hybrid(index, round)));
        const write = () => post(`/raw-backend/${written}/_doc/1`, { text: "a letter found in winter" });
        const alone: number[] = [];
        const after: number[] = [];
        for (let round = -ROUNDS; round < ROUNDS; round += 1) {
          const one = await search(round);
          await write();
          const other = await search(round);
          if (round >= 0) {
            alone.push(one);
            after.push(other);
          }
        }
        const more = median(after) - median(alone);
        rows.push({
          what: `processor time that a raw write of a document adds to the next hybrid search of ${title}`,
          budget: `≤ ${BUDGET} ms`,
          reached: ms(more),
          kept: more <= BUDGET,
          note: `medians of ${ROUNDS}: ${ms(median(alone))} before the write, ${ms(median(after))} after it; ${load()}`,
        });
      }
      return rows;
    } finally {
      await cluster.stop();
      await upstreams.stop();
    }
  },
};

/** Another size each time, so that no cache of the cluster answers. */
const hybrid = (index: string, round: number) => ({
  index,
  search_query: "a letter found in winter",
  search_request_template: {
    size: 10 + (round & 1),
    query: {
      hybrid: { queries: [{ match: { text: "letter" } }, { knn: { text_dense: { vector: "[text_dense]", k: 10 } } }] },
    },
  },
});

async function makeIndexes(url: string): Promise<void> {
  const names = Array.from({ length: INDEXES }, (_, at) => `${ALIAS}-${at}`);
  for (const name of names) {
    await direct(url, "PUT", `/${name}`, JSON.stringify({ ...HYBRID_MAPPING, aliases: { [ALIAS]: {} } }));
  }
  const fields = Object.fromEntries(Array.from({ length: FIELDS }, (_, at) => [`field_${at}`, { type: "keyword" }]));
  const properties = { ...HYBRID_MAPPING.mappings.properties, ...fields };
  await direct(url, "PUT", `/${WIDE}`, JSON.stringify({ ...HYBRID_MAPPING, mappings: { properties } }));
}

/** Returns the milliseconds of processor time of this process for a call. */
async function processorTime(call: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
