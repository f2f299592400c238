import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { books } from "../packages/demo-data/books.ts";
import { API_KEY } from "../test/fixtures/gateway.ts";
import { direct, FOLDER, startCluster } from "./gateway-setup.ts";
import { type Benchmark, median, ms, type Row, times } from "./result.ts";
import { startServerProcess } from "./server-process.ts";

const INDEX = "bench";
const DOCUMENTS = 20_000;
const CONNECTIONS = 16;
const SECONDS = 5;
const ROUNDS = 4;
const QUERY = { size: 10, query: { match: { description: "river letter" } } };

/** Compares the whole HTTP path of the local stack with a direct call, both under load from wrk. */
export const httpPathBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const budget = "≤ 1.6x at p50";
    const what = "the whole HTTP path (API server, key check, handler), compared with a direct call, 16 connections";
    if (spawnSync("wrk", ["--version"]).error) {
      return [{ what, budget, reached: "not measured", kept: undefined, note: "wrk is not installed" }];
    }
    const cluster = await startCluster();
    const server = await startServerProcess(cluster.url);
    try {
      await fillIndex(cluster.url);
      const ours = script("ours", JSON.stringify({ index: INDEX, search_request: QUERY }));
      const theirs = script("direct", JSON.stringify(QUERY));
      const measured = { ours: [] as number[], theirs: [] as number[] };
      for (let round = 0; round <= ROUNDS; round += 1) {
        const a = wrk(`${cluster.url}/${INDEX}/_search`, theirs);
        const b = wrk(`${server.url}/application/search`, ours);
        // The first round is the warm-up.
        if (round > 0) {
          measured.theirs.push(a);
          measured.ours.push(b);
        }
      }
      const [ourP50, directP50] = [median(measured.ours), median(measured.theirs)];
      const ratio = ourP50 / directP50;
      return [
        {
          what,
          budget,
          reached: `${times(ratio)} at p50`,
          kept: ratio <= 1.6,
          note: `wrk, ${ROUNDS} rounds of ${SECONDS} s in turn: ours ${ms(ourP50)}, direct ${ms(directP50)}`,
        },
      ];
    } finally {
      await server.stop();
      await cluster.stop();
    }
  },
};

/** Indexes invented books in one shard. */
async function fillIndex(url: string): Promise<void> {
  await direct(url, "PUT", `/${INDEX}`, '{"settings":{"index":{"number_of_shards":1,"number_of_replicas":0}}}');
  const lines = books(DOCUMENTS).flatMap((book) => ['{"index":{}}', JSON.stringify(book)]);
  await direct(url, "POST", `/${INDEX}/_bulk`, `${lines.join("\n")}\n`, "application/x-ndjson");
  await direct(url, "POST", `/${INDEX}/_refresh`);
}

function script(name: string, body: string): string {
  const file = join(FOLDER, `${name}.lua`);
  const lines = [
    'wrk.method = "POST"',
    `wrk.body = [==[${body}]==]`,
    'wrk.headers["content-type"] = "application/json"',
    `wrk.headers["x-api-key"] = "${API_KEY}"`,
    "function done(summary, latency) io.write(string.format('P50 %f ERRORS %d\\n', latency:percentile(50), summary.errors.status)) end",
  ];
  writeFileSync(file, lines.join("\n"));
  return file;
}

/** Returns the median latency in milliseconds. */
function wrk(url: string, file: string): number {
  const args = ["-t1", `-c${CONNECTIONS}`, `-d${SECONDS}s`, "-s", file, url];
  const { stdout, status } = spawnSync("wrk", args, { encoding: "utf8" });
  const [, p50, errors] = stdout.match(/P50 ([\d.]+) ERRORS (\d+)/) ?? [];
  if (status !== 0 || errors !== "0") throw new Error(`wrk ${url}: ${stdout}`);
  return Number(p50) / 1_000;
}
