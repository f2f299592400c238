import { Agent, request } from "node:http";
import { Client } from "@opensearch-project/opensearch";
import { event, invoke, loadGateway } from "./gateway-setup.ts";
import { type Benchmark, load, ms, type Row, times } from "./result.ts";
import { startStub } from "./start-stub.ts";
import { takeTurns } from "./turns.ts";

const CALLS = 20_000;
/** One, because a function instance handles one event at a time. */
const PARALLEL = 1;
/** Times the processor time of a bare call by the official client. */
const BUDGETS = { search: 1.35, raw: 1.15 };
/** Calls with an answer of 1 MB, and times the processor time of a pass-through by node:http. */
const BIG = { calls: 400, budget: 1.5 };
/** Calls with a query vector of 1,024 numbers, and times the processor time of the bare official client. */
const VECTOR = { calls: 4_000, budget: 1.35 };

/** Measures the processor time that a call takes in the gateway, and what the bare official client takes for the same. */
export const processorTimeBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const cluster = await startStub();
    try {
      const handler = await loadGateway(cluster.url);
      const client = new Client({ node: cluster.url });
      const sides = {
        search: (call: number) =>
          invoke(handler, "POST", "/application/search", `{"index":"bench","search_request":${native(call)}}`, ignore),
        raw: (call: number) => invoke(handler, "POST", "/raw-backend/bench/_search", native(call), ignore),
        nodeHttp: passThrough(throughNode(cluster.url)),
        client: (call: number) => client.search({ index: "bench", body: JSON.parse(native(call)) }),
      };
      const took = await takeTurns(sides, { calls: CALLS, parallel: PARALLEL });
      const note =
        `one call at a time, ${CALLS} of each side in turn, a stub of the cluster in another process: search ${ms(took.search.cpu)}, ` +
        `raw ${ms(took.raw.cpu)}, the bare official client ${ms(took.client.cpu)}, a bare pass-through by node:http ` +
        `${ms(took.nodeHttp.cpu)}; ${load()}`;
      const body = vectorQuery();
      const vectors = await takeTurns(
        {
          ours: () =>
            invoke(handler, "POST", "/application/search", `{"index":"bench","search_request":${body}}`, ignore),
          client: () => client.search({ index: "bench", body: JSON.parse(body) }),
        },
        { calls: VECTOR.calls, parallel: PARALLEL },
      );
      const large = await takeTurns(
        {
          raw: () => invoke(handler, "POST", "/raw-backend/big/_search", "{}", ignore),
          nodeHttp: passThrough(throughNode(cluster.url, "/big/_search")),
        },
        { calls: BIG.calls, parallel: PARALLEL },
      );
      const rows = (["search", "raw"] as const).map((side) => ({
        what: `processor time of a ${side === "raw" ? "raw call" : "search"}, compared with the bare official client`,
        budget: `≤ ${BUDGETS[side]}x`,
        reached: `${times(took[side].cpu / took.client.cpu)}; ${times(took[side].cpu / took.nodeHttp.cpu)} of a pass-through by node:http`,
        kept: took[side].cpu / took.client.cpu <= BUDGETS[side],
        note,
        figures: { [`${side}_ms`]: took[side].cpu },
      }));
      return [
        ...rows,
        besideRow("a search with a vector of 1,024 numbers", "the bare official client", VECTOR.budget, [
          vectors.ours.cpu,
          vectors.client.cpu,
        ]),
        besideRow("a raw call with an answer of 1 MB", "a bare pass-through by node:http", BIG.budget, [
          large.raw.cpu,
          large.nodeHttp.cpu,
        ]),
      ];
    } finally {
      await cluster.stop();
    }
  },
};

const besideRow = (what: string, other: string, budget: number, [ours, theirs]: [number, number]): Row => ({
  what: `processor time of ${what}, compared with ${other}`,
  budget: `≤ ${budget}x`,
  reached: times(ours / theirs),
  kept: ours / theirs <= budget,
  note: `one call at a time, in turn, a stub of the cluster in another process: ${ms(ours)}, ${ms(theirs)}; ${load()}`,
});

const vectorQuery = () =>
  JSON.stringify({
    query: { knn: { text_dense: { k: 10, vector: Array.from({ length: 1_024 }, (_, n) => Math.sin(n)) } } },
  });

const ignore = () => undefined;
const WORDS = ["river", "night", "garden", "city", "winter", "letter", "secret", "house", "war", "music"];
const native = (call: number) =>
  JSON.stringify({ size: 10, query: { match: { description: `${WORDS[call % 10]} ${WORDS[(call * 3 + 1) % 10]}` } } });

type Send = (body: Buffer) => Promise<{ statusCode: number; body: string }>;

/** Returns a handler that passes an event's body on and returns the answer, and nothing else. */
const passThrough = (send: Send) => async (call: number) => {
  const { body } = event("POST", "/bench/_search", native(call));
  const answer = await send(Buffer.from(body ?? "", "base64"));
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
  return { ...answer, headers: { "content-type": "application/json" }, isBase64Encoded: false };
};

const HEADERS = { "content-type": "application/json" };

function throughNode(url: string, path = "/bench/_search"): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const { hostname, port } = new URL(url);
  return (sent) =>
    new Promise((resolve, reject) => {
      const headers = { ...HEADERS, "content-length": sent.length };
      request({ agent, hostname, port, method: "POST", path, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => resolve({ statusCode: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      })
        .on("error", reject)
        .end(sent);
    });
}
