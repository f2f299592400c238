/**
 * Measures calls of the gateway of the tree that it stands in. `make bench ARGS=earlier` copies it into an earlier tree, so it
 * imports only what both have. It is given the cluster's URL, reads lines `OPERATION CALLS` and answers each with the
 * milliseconds of processor time a call.
 */
import { createInterface } from "node:readline";
import { HYBRID_MAPPING, hybridIndex, startUpstreams } from "../test/fixtures/gateway.ts";
import { direct, invoke, loadGateway } from "./gateway-setup.ts";

const [url = ""] = process.argv.slice(2);
const INDEX = `bench-earlier-${process.pid}`;
const DOCUMENTS = 2_000;
const WRITTEN_AT_ONCE = 100;
const WORDS = ["river", "night", "garden", "city", "winter", "letter", "secret", "house", "war", "music"];
const words = (call: number) => `${WORDS[call % 10]} ${WORDS[(call * 3 + 1) % 10]}`;

const hybrid = (text: string) => ({
  index: INDEX,
  search_query: text,
  search_request_template: {
    size: 10,
    query: {
      hybrid: {
        queries: [
          { match: { text } },
          { knn: { text_dense: { vector: "[text_dense]", k: 100 } } },
          { bool: { should: "[text_sparse]" } },
        ],
      },
    },
  },
});
/** Texts of forty words each, made here, since the demo's books lie elsewhere in earlier trees. */
const written = Array.from({ length: DOCUMENTS }, (_, at) => ({
  id: String(at),
  op: "index",
  doc: { text: Array.from({ length: 40 }, (_, place) => WORDS[(at * 7 + place * place) % 10]).join(" ") },
}));
const bulk = (call: number) => {
  const start = (call * WRITTEN_AT_ONCE) % DOCUMENTS;
  return { index: INDEX, bulk_request: written.slice(start, start + WRITTEN_AT_ONCE) };
};

const upstreams = await startUpstreams({ asRoot: true });
const handler = await loadGateway(url, { indexes: [hybridIndex(INDEX)] });
const post = (path: string, body: object) => invoke(handler, "POST", path, JSON.stringify(body), () => undefined);
const OPERATIONS: Readonly<Record<string, (call: number) => Promise<unknown>>> = {
  search: (call) =>
    post("/application/search", { index: INDEX, search_request: { query: { match: { text: words(call) } } } }),
  "hybrid search": (call) => post("/application/hybrid-search", hybrid(words(call))),
  "bulk of 100": (call) => post("/application/bulk", bulk(call)),
  raw: (call) => post(`/raw-backend/${INDEX}/_search`, { query: { match: { text: words(call) } } }),
};

await direct(url, "PUT", `/${INDEX}`, JSON.stringify(HYBRID_MAPPING));
for (let call = 0; call * WRITTEN_AT_ONCE < DOCUMENTS; call += 1) await post("/application/bulk", bulk(call));
await direct(url, "POST", `/${INDEX}/_refresh`);
process.stdout.write("ready\n");

for await (const line of createInterface({ input: process.stdin })) {
  const [, operation = "", calls = ""] = /^(.+) (\d+)$/.exec(line) ?? [];
  const before = process.cpuUsage();
  for (let call = 0; call < Number(calls); call += 1) await OPERATIONS[operation]?.(call);
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${(user + system) / 1_000 / Number(calls)}\n`);
}
await direct(url, "DELETE", `/${INDEX}`);
await upstreams.stop();
process.exit(0);
