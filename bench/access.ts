import type { KeyRules } from "../lib/core/http/access.ts";
import { type NativeRequest, nativeRefusal } from "../lib/search/access/native.ts";
import { books } from "../local/demo-data/books.ts";
import { fillIndex, INDEX } from "./corpus.ts";
import { invoke, KEY, loadGateway, startCluster } from "./gateway-setup.ts";
import { type Benchmark, load, ms, type Row, times } from "./result.ts";
import { sideBySide } from "./side-by-side.ts";

const BUDGET_MS = 0.1;
const PARALLEL = 16;
const ALLOW = { recommended: true, added: [] };

const key: KeyRules = {
  name: KEY,
  endpoints: ["search", "raw-backend"],
  indexes: ["products", "articles-*", "reviews-*", INDEX],
};

const query = JSON.stringify({
  size: 10,
  query: {
    bool: {
      must: [{ match: { description: "river night" } }],
      filter: [{ term: { "categories.keyword": "Fiction" } }],
    },
  },
  aggs: { categories: { terms: { field: "categories.keyword" } } },
});
const vector = JSON.stringify({
  size: 10,
  query: { knn: { embedding: { k: 100, vector: Array.from({ length: 1024 }, (_, at) => Math.sin(at)) } } },
});
const documents = books(100).map((book) => JSON.stringify(book));
const bulk = documents.map((book, id) => `{"index":{"_index":"${INDEX}","_id":"${id}"}}\n${book}\n`).join("");

const call = (method: string, path: string, body = ""): NativeRequest => ({
  method,
  segments: path.split("/"),
  parameters: [["timeout", "1s"]],
  contentType: "application/json",
  body: Buffer.from(body),
});

type Calls = Readonly<Record<string, NativeRequest>>;

const SHORT: Calls = {
  "a document read": call("GET", "products/_doc/1"),
  "a document of 1 MiB written": call("PUT", "products/_doc/1", JSON.stringify({ text: "x".repeat(2 ** 20) })),
  "a search of three indexes": call("POST", "products,articles-2026,reviews-2026/_search", query),
};

/** Calls whose bodies are parsed, as names can be anywhere in them. */
const LONG: Calls = {
  "a search by a vector of 1,024 numbers": call("POST", "products/_search", vector),
  "an _msearch of ten": call("POST", "_msearch", `{"index":"products"}\n${query}\n`.repeat(10)),
  "a _bulk of 100 documents": call("POST", "_bulk", bulk),
};

/** Returns the processor time of one decision, in milliseconds. */
function decisionTime(request: NativeRequest, calls = 8_000): number {
  const decide = (times: number) => {
    for (let at = 0; at < times; at += 1) {
      const refused = nativeRefusal(key, request, ALLOW);
      if (refused) throw new Error(`refused: ${refused.reason}`);
    }
  };
  decide(calls / 4);
  const before = process.cpuUsage();
  decide(calls);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / calls;
}

function decisions(what: string, calls: Calls): Row {
  const measured = Object.entries(calls).map(([name, request]) => ({ name, time: decisionTime(request) }));
  const longest = Math.max(...measured.map(({ time }) => time));
  return {
    what: `processor time to authorize ${what}, for a key with indexes, plain names`,
    budget: `≤ ${BUDGET_MS} ms`,
    reached: `${longest.toFixed(3)} ms`,
    kept: longest <= BUDGET_MS,
    note: `the longest of: ${measured.map(({ name, time }) => `${name} ${time.toFixed(3)} ms`).join(", ")}; ${load()}`,
  };
}

/** Compares calls by a key with indexes with the same calls through a gateway without keys, in one process. */
async function throughHandlers(url: string): Promise<Row[]> {
  const open = await loadGateway(url);
  const limited = await loadGateway(url, { keys: [key] });
  const rows: Row[] = [];
  for (const [what, path, body] of [
    ["search", "/application/search", `{"index":"${INDEX}","search_request":${query}}`],
    ["raw search", `/raw-backend/${INDEX}/_search`, query],
  ] as const) {
    const options = { calls: 3_000, parallel: PARALLEL, rounds: 20 };
    const through = (handler: typeof open) => () => invoke(handler, "POST", path, body);
    const { ours, theirs, ratio } = await sideBySide(through(limited), through(open), options);
    const control = await sideBySide(through(open), through(open), options);
    const added = ours.cpu - theirs.cpu;
    const isRaw = path.startsWith("/raw");
    rows.push({
      what: `${what} by a key with indexes, compared with the same without keys`,
      budget: isRaw ? `≤ ${BUDGET_MS} ms more processor time` : "≤ 1.05x at p50",
      reached: isRaw ? ms(added) : `${times(ratio.p50)} at p50`,
      kept: isRaw ? added <= BUDGET_MS : ratio.p50 <= 1.05,
      note:
        `${PARALLEL} in parallel, ${ours.calls} calls each: ${ms(ours.p50)} and ${ms(theirs.p50)} at p50, ` +
        `${times(ratio.p50)}; processor time of the handler ${ms(ours.cpu)} and ${ms(theirs.cpu)} a call. Without keys ` +
        `on both sides, so noise alone: ${times(control.ratio.p50)}`,
    });
  }
  return rows;
}

/** How long does it take to decide whether a key may make a call? */
export const accessBenchmark: Benchmark = {
  name: "access",
  async run() {
    const decided = [
      decisions("a raw call of one document or search", SHORT),
      decisions("a raw call with a body of 3 to 60 kB", LONG),
    ];
    const cluster = await startCluster();
    try {
      await fillIndex(cluster.url);
      return [...decided, ...(await throughHandlers(cluster.url))];
    } finally {
      await cluster.stop();
    }
  },
};
