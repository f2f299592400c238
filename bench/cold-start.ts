import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FOLDER, loadGateway } from "./gateway-setup.ts";
import { type Benchmark, ms, type Row } from "./result.ts";

const RUNS = 15;

/** Imports the entry and answers one invalid search request, which calls no upstream. */
const PROBE = `
import { register } from "node:module";
const dir = process.argv[2];
const start = performance.now();
const { handler } = await import(dir + "/index.mjs");
const event = { path: "/application/search", httpMethod: "POST", headers: { "content-type": "application/json" },
  body: "{}", isBase64Encoded: false, requestContext: { requestId: "bench" } };
const answer = await handler(event, { getRemainingTimeInMillis: () => 28000 });
const took = performance.now() - start;
if (answer.statusCode !== 400) throw new Error(answer.body);
console.log(JSON.stringify({ took }));
`;

/** Measures importing the entry and the search family in a fresh process, and the bytes of code that this loads. */
export const coldStartBenchmark: Benchmark = {
  name: "cold start",
  async run(): Promise<Row[]> {
    await loadGateway("http://127.0.0.1:9");
    const dir = join(FOLDER, "functions/api-router");
    const probe = join(FOLDER, "probe.mjs");
    writeFileSync(probe, PROBE.replace(/^import .*\n/m, ""));
    const env = { OPENSEARCH_NODE: "http://127.0.0.1:9", OPENSEARCH_AUTH: "none", AWS_REGION: "eu-west-1" };
    const run = (...flags: string[]) =>
      execFileSync(process.execPath, [...flags, probe, dir], { encoding: "utf8", env: { ...process.env, ...env } });
    const took = Array.from({ length: RUNS }, () => JSON.parse(run().trim().split("\n").at(-1) ?? "").took as number);
    const median = took.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
    const loaded = loadedFiles(dir, env);
    const kilobytes = loaded.reduce((sum, file) => sum + statSync(file).size, 0) / 1_000;
    return [
      {
        what: "cold start: import of the entry and the search family, until the first answer",
        budget: "≤ 35 ms, ≤ 120 kB loaded",
        reached: `${ms(median)}, ${kilobytes.toFixed(0)} kB`,
        kept: median <= 35 && kilobytes <= 120,
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
