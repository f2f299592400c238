import { execFileSync } from "node:child_process";
import { cpSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GatewaySettings } from "../lib/search/gateway/settings.ts";
import { hybridIndex } from "../test/fixtures/gateway.ts";
import { buildGateway, FOLDER, KEY } from "./gateway-setup.ts";
import { type Benchmark, load, median, ms, type Row } from "./result.ts";
import { startStub } from "./start-stub.ts";

export const RUNS = 15;

/** Imports the entry and answers one request, which reads the secret first and then calls the stub of the cluster. */
const PROBE = `
const [dir, path, body] = process.argv.slice(2);
const start = performance.now();
const before = process.cpuUsage();
const { handler } = await import(dir + "/index.mjs");
const event = { path, httpMethod: "POST", headers: { "content-type": "application/json" }, body,
  multiValueQueryStringParameters: null, isBase64Encoded: false,
  requestContext: { requestId: "bench", identity: { apiKeyId: "id" } } };
const answer = await handler(event, { getRemainingTimeInMillis: () => 28000 });
const wall = performance.now() - start;
const { user, system } = process.cpuUsage(before);
if (answer.statusCode !== 200 || answer.body.includes('"degraded":[{')) throw new Error(answer.body);
console.log(JSON.stringify({ wall, cpu: (user + system) / 1000 }));
process.exit(0);
`;

export const SEARCH = ["/application/search", '{"index":"bench","search_request":{"query":{"match_all":{}}}}'] as const;
const HYBRID = [
  "/application/hybrid-search",
  JSON.stringify({
    index: "bench",
    search_query: "a letter",
    search_request_template: {
      query: {
        hybrid: {
          queries: [{ match: { text: "a letter" } }, { knn: { text_dense: { vector: "[text_dense]", k: 9 } } }],
        },
      },
    },
  }),
] as const;

/** An index with one dense field. */
const entry = (index: string) => {
  const { embedding_mappings, ...rest } = hybridIndex(index);
  return { ...rest, embedding_mappings: embedding_mappings.slice(0, 1) };
};

/** Settings as large as those of a big shop. */
const LARGE: Partial<GatewaySettings> = {
  indexes: [entry("bench"), ...Array.from({ length: 499 }, (_, i) => entry(`shop-${i}-*`))],
  templates: Array.from({ length: 200 }, (_, i) => ({
    name: `template_${i}`,
    search_request_template: {
      size: 10,
      query: { match: { text: "[search_query]" } },
      aggs: { a: { terms: { field: "f" } } },
    },
    params: {},
    parameters: [{ name: "search_query", type: "text", max_length: 200 }],
  })),
  keys: Array.from({ length: 50 }, (_, i) => ({
    name: i === 0 ? KEY : `key-${i}`,
    endpoints: ["search", "hybrid-search"],
    indexes: ["bench", `shop-${i}-*`],
  })),
};

/**
 * Measures importing the entry and what a request needs in a fresh process, until it is answered, and the bytes of code
 * that this loads. The account of the cluster is in a secret, as it is by default.
 */
export const coldStartBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const stub = await startStub();
    const probe = writeProbe();
    const env = probeVariables(stub.url);
    const [dir, largeDir] = [join(FOLDER, "of-one-entry"), join(FOLDER, "of-500-entries")];
    cpSync(await buildGateway({ indexes: [entry("bench")] }), dir, { recursive: true });
    cpSync(await buildGateway(LARGE), largeDir, { recursive: true });
    const [search, hybrid, large] = measureInTurns(
      [
        [probe, dir, ...SEARCH],
        [probe, dir, ...HYBRID],
        [probe, largeDir, ...SEARCH],
      ],
      env,
    );
    const loaded = kilobytes(loadedFiles([probe, dir, ...SEARCH], dir, env));
    const ofHybrid = kilobytes(loadedFiles([probe, dir, ...HYBRID], dir, env));
    await stub.stop();
    const more = large.cpu - search.cpu;
    return [
      {
        what: "cold start: import of the entry, until the first search is answered, with the cluster's account in a secret",
        budget: "≤ 50 ms, ≤ 170 kB loaded",
        reached: `${ms(search.wall)}, ${loaded.toFixed(0)} kB`,
        kept: search.wall <= 50 && loaded <= 170,
        note: noteOf(search),
      },
      {
        what: "cold start of a hybrid search, with its model's client",
        budget: "≤ 75 ms",
        reached: `${ms(hybrid.wall)}, ${ofHybrid.toFixed(0)} kB`,
        kept: hybrid.wall <= 75,
        note: noteOf(hybrid),
      },
      {
        what: "cold start of a search with 500 entries, 200 templates and 50 keys, compared with one entry",
        budget: "≤ 5 ms more of processor time",
        reached: `${ms(more)} more`,
        kept: more <= 5,
        note: noteOf(large),
      },
    ];
  },
};

/** Writes the probe, and returns its file. */
export function writeProbe(): string {
  const file = join(FOLDER, "probe.mjs");
  writeFileSync(file, PROBE);
  return file;
}

/** Returns the variables of a function whose cluster, secret and bucket a stub stands in for. */
export const probeVariables = (stub: string): Readonly<Record<string, string>> => ({
  ...{ OPENSEARCH_NODE: stub, OPENSEARCH_AUTH: "basic", OPENSEARCH_SECRET_ARN: "arn" },
  ...{ AWS_REGION: "eu-west-1", AWS_ENDPOINT_URL: stub, AWS_EC2_METADATA_DISABLED: "true" },
  ...{ AWS_ACCESS_KEY_ID: "bench", AWS_SECRET_ACCESS_KEY: "bench", API_KEYS: `id=${KEY}`, BUCKET: "bench-bucket" },
});

interface Took {
  wall: number;
  cpu: number;
  fastest: number;
}

const noteOf = ({ cpu, fastest }: Took) =>
  `median of ${RUNS} fresh processes in turns, ${ms(cpu)} of processor time; fastest ${ms(fastest)}; ${load()}`;

/** Runs the probe in fresh processes, and returns the medians. */
export const measure = (args: readonly string[], env: Readonly<Record<string, string>>): Took =>
  measureInTurns([args], env)[0];

/** Runs probes in fresh processes, in turns, since a machine can be slower for a while, and returns the medians of each. */
function measureInTurns<const Probes extends readonly (readonly string[])[]>(
  probes: Probes,
  env: Readonly<Record<string, string>>,
): { [each in keyof Probes]: Took } {
  const runs = probes.map((): { wall: number; cpu: number }[] => []);
  for (let run = 0; run < RUNS; run += 1) {
    for (const [each, args] of probes.entries()) {
      const output = execFileSync(process.execPath, args, { encoding: "utf8", env: { ...process.env, ...env } });
      runs[each]?.push(JSON.parse(output.trim().split("\n").at(-1) ?? ""));
    }
  }
  return runs.map((own) => {
    const walls = own.map(({ wall }) => wall);
    return { wall: median(walls), cpu: median(own.map(({ cpu }) => cpu)), fastest: Math.min(...walls) };
  }) as { [each in keyof Probes]: Took };
}

const kilobytes = (files: readonly string[]) => files.reduce((sum, file) => sum + statSync(file).size, 0) / 1_000;

/** Returns the bundle's files that a probe imports, as the module loader reports them. */
function loadedFiles(args: readonly string[], dir: string, env: Readonly<Record<string, string>>): string[] {
  const hooks = `export async function load(url, context, next) {
    if (url.startsWith("file://")) process._rawDebug("LOADED " + url); return next(url, context); }`;
  const main = `import { register } from "node:module"; register("data:text/javascript,${encodeURIComponent(hooks)}");`;
  const script = '"$0" --import "data:text/javascript,$1" "$2" "$3" "$4" "$5" 2>&1';
  const output = execFileSync("/bin/sh", ["-c", script, process.execPath, encodeURIComponent(main), ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  const files = [...output.matchAll(/LOADED (file:\/\/\S+)/g)].map(([, url = ""]) =>
    decodeURIComponent(new URL(url).pathname),
  );
  return files.filter((file) => file.startsWith(dir));
}
