import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FOLDER, KEY, loadGateway } from "./gateway-setup.ts";
import { type Benchmark, ms, type Row } from "./result.ts";
import { startStub } from "./start-stub.ts";

const RUNS = 15;

/** Imports the entry and answers one search, which calls the stub of the cluster. */
const PROBE = `
import { register } from "node:module";
const dir = process.argv[2];
const start = performance.now();
const { handler } = await import(dir + "/index.mjs");
const event = { path: "/application/search", httpMethod: "POST", headers: { "content-type": "application/json" },
  multiValueQueryStringParameters: null, body: '{"index":"bench","search_request":{"query":{"match_all":{}}}}',
  isBase64Encoded: false, requestContext: { requestId: "bench", identity: { apiKeyId: "id" } } };
const answer = await handler(event, { getRemainingTimeInMillis: () => 28000 });
const took = performance.now() - start;
if (answer.statusCode !== 200) throw new Error(answer.body);
console.log(JSON.stringify({ took }));
`;

/** Measures importing the entry and the search family in a fresh process, and the bytes of code that this loads. */
export const coldStartBenchmark: Benchmark = {
  name: "cold start",
  async run(): Promise<Row[]> {
    const cluster = await startStub();
    await loadGateway(cluster.url);
    const dir = join(FOLDER, "functions/api-router");
    const probe = join(FOLDER, "probe.mjs");
    writeFileSync(probe, PROBE.replace(/^import .*\n/m, ""));
    const place = { OPENSEARCH_NODE: cluster.url, OPENSEARCH_AUTH: "none", AWS_REGION: "eu-west-1" };
    const env = { ...place, API_KEYS: `id=${KEY}` };
    const run = (...flags: string[]) =>
      execFileSync(process.execPath, [...flags, probe, dir], { encoding: "utf8", env: { ...process.env, ...env } });
    const took = Array.from({ length: RUNS }, () => JSON.parse(run().trim().split("\n").at(-1) ?? "").took as number);
    const median = took.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
    const loaded = loadedFiles(dir, env);
    await cluster.stop();
    const kilobytes = loaded.reduce((sum, file) => sum + statSync(file).size, 0) / 1_000;
    return [
      {
        what: "cold start: import of the entry and the search family, until the first search is answered",
        budget: "≤ 50 ms, ≤ 170 kB loaded",
        reached: `${ms(median)}, ${kilobytes.toFixed(0)} kB`,
        kept: median <= 50 && kilobytes <= 170,
        note: `median of ${RUNS} fresh processes, ${loaded.length} files; fastest ${ms(Math.min(...took))}`,
      },
    ];
  },
};

/** Returns the bundle's files that the probe imports, as the module loader reports them. */
function loadedFiles(dir: string, env: Record<string, string>): string[] {
  const hooks = `export async function load(url, context, next) {
    if (url.startsWith("file://")) process._rawDebug("LOADED " + url); return next(url, context); }`;
  const main = `import { register } from "node:module"; register("data:text/javascript,${encodeURIComponent(hooks)}");`;
  const output = execFileSync(
    "/bin/sh",
    [
      "-c",
      '"$0" --import "data:text/javascript,$1" "$2" "$3" 2>&1',
      process.execPath,
      encodeURIComponent(main),
      join(FOLDER, "probe.mjs"),
      dir,
    ],
    { encoding: "utf8", env: { ...process.env, ...env } },
  );
  const files = [...output.matchAll(/LOADED (file:\/\/\S+)/g)].map(([, url = ""]) =>
    decodeURIComponent(new URL(url).pathname),
  );
  return files.filter((file) => file.startsWith(dir));
}
