/**
 * `make bench`: runs every benchmark, or those whose name contains a word. Keeps the figures in bench/results.json and
 * writes bench/RESULTS.md from them; nobody edits either by hand.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { exitWhenWritten } from "../local/process/exit.ts";
import { report, verdict } from "./report.ts";
import { type Benchmark, type Result, type Row, withOtherSizes } from "./result.ts";
import { SIZING_FILE, sizingGuide } from "./sizing.ts";

const FIGURES = join(import.meta.dirname, "results.json");
const REPORT = join(import.meta.dirname, "RESULTS.md");

/** Each runs in its own process, so that no benchmark is affected by memory or modules of another one. */
const BENCHMARKS: Readonly<Record<string, () => Promise<Benchmark>>> = {
  search: async () => (await import("./search.ts")).searchBenchmark,
  "processor-time": async () => (await import("./processor-time.ts")).processorTimeBenchmark,
  "http-path": async () => (await import("./http-path.ts")).httpPathBenchmark,
  earlier: async () => (await import("./earlier.ts")).earlierBenchmark,
  catalog: async () => (await import("./catalog.ts")).catalogBenchmark,
  access: async () => (await import("./access.ts")).accessBenchmark,
  hybrid: async () => (await import("./hybrid.ts")).hybridBenchmark,
  bulk: async () => (await import("./bulk-write.ts")).bulkBenchmark,
  "cold-start": async () => (await import("./cold-start.ts")).coldStartBenchmark,
  stages: async () => (await import("./stages.ts")).stagesBenchmark,
  rules: async () => (await import("./rules.ts")).rulesBenchmark,
  pages: async () => (await import("./pages.ts")).pagesBenchmark,
  validate: async () => (await import("./validate.ts")).validateBenchmark,
  synth: async () => (await import("./synth.ts")).synthBenchmark,
  tune: async () => (await import("./tune.ts")).tuneBenchmark,
  "model-verdicts": async () => (await import("./model-verdicts.ts")).modelVerdictsBenchmark,
  "click-verdicts": async () => (await import("./click-verdicts.ts")).clickVerdictsBenchmark,
  console: async () => (await import("./console.ts")).consoleBenchmark,
  etl: async () => (await import("./etl.ts")).etlBenchmark,
  recommend: async () => (await import("./recommend.ts")).recommendBenchmark,
  placements: async () => (await import("./placements.ts")).placementsBenchmark,
  tastes: async () => (await import("./tastes.ts")).tastesBenchmark,
  "left-out": async () => (await import("./left-out.ts")).leftOutBenchmark,
  faults: async () => (await import("./faults.ts")).faultsBenchmark,
  events: async () => (await import("./events.ts")).eventsBenchmark,
  pairs: async () => (await import("./pairs.ts")).pairsBenchmark,
  dev: async () => (await import("./dev-start.ts")).devStartBenchmark,
  package: async () => (await import("./package.ts")).packageBenchmark,
  mcp: async () => (await import("./mcp.ts")).mcpBenchmark,
  permissions: async () => (await import("./permissions.ts")).permissionsBenchmark,
  attacks: async () => (await import("./attacks.ts")).attacksBenchmark,
  import: async () => (await import("./index-import.ts")).importBenchmark,
  rebuild: async () => (await import("./index-rebuild.ts")).rebuildBenchmark,
  "rebuild-3": async () => (await import("./index-rebuild.ts")).rebuild3Benchmark,
  suggest: async () => (await import("./suggest.ts")).suggestBenchmark,
  vectors: async () => (await import("./vectors.ts")).vectorsBenchmark,
  passages: async () => (await import("./passages.ts")).passagesBenchmark,
  day: async () => (await import("./day/day.ts")).dayBenchmark,
  frameworks: async () => (await import("./frameworks/frameworks.ts")).frameworksBenchmark,
  mutants: async () => (await import("./mutants/mutants.ts")).mutantsBenchmark,
};

/** Run only when they are named in full, because each takes from ten minutes to an hour, or installs what only it needs. */
const ON_REQUEST = new Set([
  "earlier",
  "import",
  "rebuild",
  "suggest",
  "vectors",
  "passages",
  "pages",
  "day",
  "frameworks",
  "mutants",
  "package",
]);

const MARK = "@@rows@@";
const [word = ""] = process.argv.slice(2);
if (process.env.BENCH_CHILD === "1") {
  const load = BENCHMARKS[word];
  if (!load) throw new Error(`there is no benchmark named ${word}`);
  console.log(`${MARK}${JSON.stringify(await (await load()).run())}`);
  await exitWhenWritten(0);
}

const names = Object.keys(BENCHMARKS).filter((name) => (ON_REQUEST.has(name) ? name === word : name.includes(word)));
if (names.length === 0) {
  console.error(`no benchmark has "${word}" in its name: choose from ${Object.keys(BENCHMARKS).join(", ")}`);
  process.exit(2);
}
/** A run of another size than usual says nothing that is to be kept. */
const isReduced =
  process.env.BENCH_DOCUMENTS !== undefined ||
  process.env.BENCH_RATE !== undefined ||
  process.env.BENCH_SUGGESTIONS !== undefined ||
  process.env.BENCH_SEARCHES !== undefined ||
  process.env.PAIRS_TRIPLES !== undefined;
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
    rows: withOtherSizes(rows, results[name]?.rows),
  };
  // Writes after each benchmark, so that a later failure loses nothing.
  writeFileSync(FIGURES, `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(REPORT, report(results));
  writeFileSync(SIZING_FILE, sizingGuide(results));
}
if (!isReduced) console.log("Written: bench/results.json, bench/RESULTS.md, docs/guides/sizing.md");

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
