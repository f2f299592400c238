import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { seeded } from "../lib/relevance/statistics/random.ts";
import { API_KEY } from "../test/fixtures/gateway.ts";
import { direct, startCluster } from "./gateway-setup.ts";
import { memoryOf, startTool, succeeded, throttlingProxy, writeConf, writesTo } from "./index-tool.ts";
import { type Benchmark, bytes, load, ms, type Row } from "./result.ts";
import { startServerProcess } from "./server-process.ts";

const COUNT = Number(process.env.BENCH_DOCUMENTS ?? 200_000);
const DIMENSION = 64;
const A_SECOND = 50;
const CALM_SECONDS = 20;
const ALIAS = "live";

const mappingOf = (type: "keyword" | "text") => ({
  mappings: {
    properties: {
      text: { type },
      vector: {
        type: "knn_vector",
        dimension: DIMENSION,
        method: { engine: "lucene", name: "hnsw", parameters: {}, space_type: "cosinesimil" },
      },
    },
  },
  settings: { index: { knn: true, number_of_shards: 2, number_of_replicas: 0 } },
});

/** Rebuilds an index with vectors while others write and search, kills the tool three times, and throttles its calls. */
export const rebuildBenchmark: Benchmark = {
  name: "rebuild",
  async run(): Promise<Row[]> {
    const cluster = await startCluster();
    const server = await startServerProcess(cluster.url);
    const proxy = await throttlingProxy(server.url, 50);
    try {
      await fill(cluster.url);
      const traffic = startTraffic(server.url);
      await sleep(5_000);
      traffic.take();
      const memoryBefore = await memoryOf(cluster.url);
      await sleep(CALM_SECONDS * 1_000);
      const before = traffic.take();
      const started = performance.now();
      const report = await rebuilt(cluster.url, proxy.url);
      const seconds = (performance.now() - started) / 1_000;
      const during = traffic.take();
      await traffic.stop();
      const memoryAfter = await memoryOf(cluster.url);
      const wrong = await differences(cluster.url, traffic.expected);
      const failures = traffic.failures;
      return [
        {
          what: `rebuild of ${COUNT.toLocaleString("en")} documents with vectors among ${A_SECOND} writes and ${A_SECOND} searches a second: failed requests, and documents lost, revived or different`,
          budget: "0",
          reached: `${failures.length} and ${wrong}`,
          kept: failures.length === 0 && wrong === 0,
          note:
            `${seconds.toFixed(0)} s, the tool killed three times, ${proxy.throttled()} of its calls answered with 429; ${report}. ` +
            `${during.writes.length} writes and ${during.searches.length} searches meanwhile${failures[0] === undefined ? "" : `; the first failure: ${failures[0]}`}`,
        },
        {
          what: "searches before and during that rebuild",
          budget: "none set",
          reached: `${ms(at(during.searches, 0.5))} / ${ms(at(during.searches, 0.99))}`,
          kept: undefined,
          note: `p50 / p99; before: ${ms(at(before.searches, 0.5))} / ${ms(at(before.searches, 0.99))}. Cluster, gateway, tool and load share the machine; ${load()}`,
        },
        {
          what: "writes before and during that rebuild",
          budget: "none set",
          reached: `${ms(at(during.writes, 0.5))} / ${ms(at(during.writes, 0.99))}`,
          kept: undefined,
          note: `p50 / p99; before: ${ms(at(before.writes, 0.5))} / ${ms(at(before.writes, 0.99))}; the longest, while the indexes were switched: ${ms(Math.max(...during.writes))}`,
        },
        {
          what: "field data of the cluster after that rebuild",
          budget: "no growth",
          reached: bytes(memoryAfter.fieldData - memoryBefore.fieldData),
          kept: memoryAfter.fieldData <= memoryBefore.fieldData,
          note: `heap in use ${bytes(memoryBefore.heap)} before, ${bytes(memoryAfter.heap)} after: the lowest of ten readings, with garbage`,
        },
      ];
    } finally {
      await proxy.stop();
      await server.stop();
      await cluster.stop();
    }
  },
};

const random = seeded(15);
const documentOf = () => ({
  text: `word${Math.floor(random() * 500)} word${Math.floor(random() * 500)}`,
  vector: Array.from({ length: DIMENSION }, () => Number((random() + 0.01).toFixed(4))),
});

/** What the index must hold: the text of each document. */
const initial = new Map<string, string>();

async function fill(cluster: string): Promise<void> {
  await direct(
    cluster,
    "PUT",
    `/${ALIAS}-first`,
    JSON.stringify({ ...mappingOf("keyword"), aliases: { [ALIAS]: {} } }),
  );
  for (let from = 0; from < COUNT; from += 1_000) {
    const lines = Array.from({ length: 1_000 }, (_, index) => {
      const doc = documentOf();
      initial.set(`d${from + index}`, doc.text);
      return `{"index":{"_id":"d${from + index}"}}\n${JSON.stringify(doc)}\n`;
    });
    await direct(cluster, "POST", `/${ALIAS}/_bulk`, lines.join(""), "application/x-ndjson");
  }
  await direct(cluster, "POST", `/${ALIAS}/_refresh`);
}

/** Runs the rebuild, and kills the tool after a third, two thirds, and when it verifies. */
async function rebuilt(cluster: string, gateway: string): Promise<string> {
  const conf = writeConf();
  const schema = `${conf}/schema.json`;
  writeFileSync(schema, JSON.stringify(mappingOf("text")));
  const first = startTool(conf, gateway, "rebuild", "--index", ALIAS, "--schema", schema);
  const id = await first.id;
  let tool = first;
  for (const share of [0.3, 0.6, 0.95]) {
    while ((await writesTo(cluster, `${ALIAS}-${id}`)) < COUNT * share) await sleep(200);
    tool.kill();
    await tool.ended;
    tool = startTool(conf, gateway, "rebuild", "--resume", id);
  }
  return (await succeeded(tool)).split("\n")[0] ?? "";
}

/** Writes and searches at a steady rate through the gateway. */
function startTraffic(gateway: string) {
  const expected = new Map(initial);
  const failures: string[] = [];
  let times = { writes: [] as number[], searches: [] as number[] };
  const pending = new Set<Promise<void>>();
  const busy = new Set<string>();
  const send = async (kind: "writes" | "searches", path: string, body: object, done: (answer: string) => void) => {
    const started = performance.now();
    try {
      const answer = await fetch(`${gateway}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": API_KEY },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      if (answer.status !== 200 || text.includes('"errors":true'))
        failures.push(`${kind}: ${answer.status} ${text.slice(0, 300)}`);
      else done(text);
    } catch (error) {
      failures.push(`${kind}: ${String(error)}`);
    }
    times[kind].push(performance.now() - started);
  };
  const track = (work: Promise<void>) => {
    pending.add(work);
    work.finally(() => pending.delete(work));
  };
  const write = () => {
    const id = `d${Math.floor(random() * COUNT * 1.05)}`;
    // Writes to one document follow one another, so that it is known what it must hold.
    if (busy.has(id)) return;
    busy.add(id);
    const doc = random() < 0.2 && expected.has(id) ? undefined : documentOf();
    const operation = doc === undefined ? { id, op: "delete" } : { id, op: "index", doc };
    const done = () => {
      if (doc === undefined) expected.delete(id);
      else expected.set(id, doc.text);
    };
    track(
      send("writes", "/application/bulk", { index: ALIAS, bulk_request: [operation] }, done).finally(() =>
        busy.delete(id),
      ),
    );
  };
  const search = () => {
    const query = { knn: { vector: { vector: documentOf().vector, k: 10 } } };
    track(
      send(
        "searches",
        "/application/search",
        { index: ALIAS, search_request: { size: 10, query, _source: false } },
        () => {},
      ),
    );
  };
  const ticking = setInterval(() => {
    write();
    search();
  }, 1_000 / A_SECOND);
  return {
    expected,
    failures,
    /** Returns the times since the last call. */
    take() {
      const taken = times;
      times = { writes: [], searches: [] };
      return taken;
    },
    async stop() {
      clearInterval(ticking);
      await Promise.all(pending);
    },
  };
}

/** Returns how many documents the index lacks, has too many, or has with another text. */
async function differences(cluster: string, expected: ReadonlyMap<string, string>): Promise<number> {
  await direct(cluster, "POST", `/${ALIAS}/_refresh`);
  const found = new Map<string, string>();
  interface Page {
    _scroll_id: string;
    hits: { hits: Array<{ _id: string; _source: { text: string } }> };
  }
  const body = JSON.stringify({ size: 5_000, _source: ["text"], sort: ["_doc"] });
  let page = (await direct(cluster, "POST", `/${ALIAS}/_search?scroll=5m`, body)) as Page;
  while (page.hits.hits.length > 0) {
    for (const { _id, _source } of page.hits.hits) found.set(_id, _source.text);
    const next = JSON.stringify({ scroll: "5m", scroll_id: page._scroll_id });
    page = (await direct(cluster, "POST", "/_search/scroll", next)) as Page;
  }
  const ids = new Set([...found.keys(), ...expected.keys()]);
  return [...ids].filter((id) => found.get(id) !== expected.get(id)).length;
}

/** Returns a quantile. */
const at = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
