/**
 * `make bench`: runs every benchmark, or those whose name contains a word. Keeps the figures in bench/results.json and
 * writes bench/RESULTS.md from them; nobody edits either by hand. A word that no name has prints the list.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { exitWhenWritten } from "../packages/processes/exit.ts";
import { report, verdict } from "./report.ts";
import { type Benchmark, type Result, type Row, withOtherSizes } from "./result.ts";
import { SIZING_FILE, sizingPage } from "./sizing.ts";

const FIGURES = join(import.meta.dirname, "results.json");
const REPORT = join(import.meta.dirname, "RESULTS.md");

/** A benchmark in the list. */
interface Listed {
  /** What it answers. */
  about: string;
  load(): Promise<Benchmark>;
  /** Whether it runs only when it is named in full, because it takes ten minutes to hours, or installs what only it needs. */
  isOnRequest?: true;
}

/** Each runs in its own process, so that no benchmark is affected by memory or modules of another one. */
const BENCHMARKS: Readonly<Record<string, Listed>> = {
  "processor-time": {
    about: "processor time of a search and a raw call, beside the bare official client",
    load: async () => (await import("./processor-time.ts")).processorTimeBenchmark,
  },
  earlier: {
    about: "processor time of search, hybrid, raw and bulk, beside an earlier commit (BENCH_COMMITS)",
    load: async () => (await import("./earlier.ts")).earlierBenchmark,
    isOnRequest: true,
  },
  hybrid: {
    about: "hybrid search, beside the native hybrid query",
    load: async () => (await import("./hybrid.ts")).hybridBenchmark,
  },
  bulk: {
    about: "bulk, beside native _bulk; time and memory with embeddings",
    load: async () => (await import("./bulk.ts")).bulkBenchmark,
  },
  "cold-start": {
    about: "the first search of a new function instance",
    load: async () => (await import("./cold-start.ts")).coldStartBenchmark,
  },
  stages: {
    about: "what rules, synonyms, reranking and variety add to a search",
    load: async () => (await import("./stages.ts")).stagesBenchmark,
  },
  rules: {
    about: "what 10,000 rules add to a search and to a cold start",
    load: async () => (await import("./rules.ts")).rulesBenchmark,
  },
  pages: {
    about: "100,000 random pages per stage: each hit once, in its place",
    load: async () => (await import("./pages.ts")).pagesBenchmark,
    isOnRequest: true,
  },
  etl: {
    about: "ETL and training of the built-in engine: events a second, memory (EVENTS)",
    load: async () => (await import("./etl.ts")).etlBenchmark,
  },
  recommend: {
    about: "a recommendation, beside the bare call of Personalize; events stored a second",
    load: async () => (await import("./recommend.ts")).recommendBenchmark,
  },
  placements: {
    about: "100,000 random requests to placements: lists as configured",
    load: async () => (await import("./placements.ts")).placementsBenchmark,
  },
  collection: {
    about: "nDCG@10 of keywords, the small real models and hybrids on a collection in SMART's format (COLLECTION)",
    load: async () => (await import("./collection.ts")).collectionBenchmark,
    isOnRequest: true,
  },
  recommenders: {
    about: "the API's recommendations on public ratings, beside item-kNN, ALS and EASE (COLLECTION)",
    load: async () => (await import("./recommenders.ts")).recommendersBenchmark,
    isOnRequest: true,
  },
  "recommender-quality": {
    about: "NDCG of the built-in engine, beside popularity, item-kNN, ALS and EASE",
    load: async () => (await import("./recommender-quality.ts")).recommenderQualityBenchmark,
  },
  faults: {
    about: "500,000 operations while connections to cluster and models break",
    load: async () => (await import("./faults.ts")).faultsBenchmark,
  },
  "event-faults": {
    about: "100,000 events while Firehose, DynamoDB and Personalize fail",
    load: async () => (await import("./event-faults.ts")).eventFaultsBenchmark,
  },
  pairs: {
    about: "all pairs of features, compared with the cluster's own answers",
    load: async () => (await import("./pairs.ts")).pairsBenchmark,
  },
  tokens: {
    about: "10,000 generated searches with a token's filter: none shows a document outside it",
    load: async () => (await import("./tokens.ts")).tokensBenchmark,
  },
  bindings: {
    about: "the stacks with other bindings of Terraform: types, and the JSON that they write",
    load: async () => (await import("./bindings.ts")).bindingsBenchmark,
    isOnRequest: true,
  },
  node24: {
    about: "unit tests of functions and lib on Node 24, the newer runtime",
    load: async () => (await import("./node24.ts")).node24Benchmark,
    isOnRequest: true,
  },
  package: {
    about: "npm installation and update of the package, until the first answer",
    load: async () => (await import("./package.ts")).packageBenchmark,
    isOnRequest: true,
  },
  frameworks: {
    about: "clients and frameworks of OpenSearch, unmodified, through the gateway",
    load: async () => (await import("./frameworks/frameworks.ts")).frameworksBenchmark,
    isOnRequest: true,
  },
  mutants: {
    about: "small changes of the code that tests notice",
    load: async () => (await import("./mutants/mutants.ts")).mutantsBenchmark,
    isOnRequest: true,
  },
};

const MARK = "@@rows@@";
const [word = ""] = process.argv.slice(2);
if (process.env.BENCH_CHILD === "1") {
  const listed = BENCHMARKS[word];
  if (!listed) throw new Error(`there is no benchmark named ${word}`);
  console.log(`${MARK}${JSON.stringify(await (await listed.load()).run())}`);
  await exitWhenWritten(0);
}

const names = Object.entries(BENCHMARKS).flatMap(([name, { isOnRequest }]) =>
  (isOnRequest ? name === word : name.includes(word)) ? [name] : [],
);
if (names.length === 0) {
  const list = Object.entries(BENCHMARKS).map(([name, { about }]) => `  ${name.padEnd(20)} ${about}\n`);
  console.error(`no benchmark has "${word}" in its name: choose from\n${list.join("")}`);
  process.exit(2);
}
/** A run of another size than usual says nothing that is to be kept. */
const isReduced = process.env.BENCH_SEARCHES !== undefined || process.env.PAIRS_TRIPLES !== undefined;
for (const name of names) {
  console.log(`Running ${name}`);
  const output = execFileSync(process.execPath, [import.meta.filename, name], {
    encoding: "utf8",
    env: { ...process.env, BENCH_CHILD: "1" },
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64 * 1024 * 1024,
  });
  const line = output.split("\n").find((text) => text.startsWith(MARK)) ?? `${MARK}[]`;
  const rows: Row[] = JSON.parse(line.slice(MARK.length));
  for (const row of rows) console.log(`  ${verdict(row)} ${row.what}: ${row.reached} (${row.budget})\n    ${row.note}`);
  if (isReduced) continue;
  // Another benchmark may have ended meanwhile.
  const results = readResults();
  results[name] = {
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim(),
    rows: withOtherSizes(rows, results[name]?.rows),
  };
  // Writes after each benchmark, so that a later failure loses nothing.
  writeFileSync(FIGURES, `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(REPORT, report(results));
  writeFileSync(SIZING_FILE, sizingPage(results));
}
if (!isReduced) console.log("Written: bench/results.json, bench/RESULTS.md, docs/reference/sizing.md");

function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${cpus().length} × ${cpu?.model.trim() ?? "unknown processor"}, ${memory} GiB, Node ${process.version}`;
}

/** Results of earlier runs, so that one benchmark can run alone; in the order of BENCHMARKS. */
function readResults(): Record<string, Result> {
  const stored: Record<string, Result> = existsSync(FIGURES) ? JSON.parse(readFileSync(FIGURES, "utf8")) : {};
  return Object.fromEntries(Object.keys(BENCHMARKS).flatMap((name) => (stored[name] ? [[name, stored[name]]] : [])));
}
