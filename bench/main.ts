/** `make bench`: every benchmark, or those whose name contains a word, into bench/RESULTS.md. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import type { Benchmark, Row } from "./result.ts";

const RESULTS = join(import.meta.dirname, "RESULTS.md");

/** One process each: what one leaves in memory or loaded would meet the next. */
const BENCHMARKS: Readonly<Record<string, () => Promise<Benchmark>>> = {
  search: async () => (await import("./search.ts")).searchBenchmark,
  "http-path": async () => (await import("./http-path.ts")).httpPathBenchmark,
  hybrid: async () => (await import("./hybrid.ts")).hybridBenchmark,
  bulk: async () => (await import("./bulk-write.ts")).bulkBenchmark,
  "cold-start": async () => (await import("./cold-start.ts")).coldStartBenchmark,
  validate: async () => (await import("./validate.ts")).validateBenchmark,
  synth: async () => (await import("./synth.ts")).synthBenchmark,
  etl: async () => (await import("./etl.ts")).etlBenchmark,
  recommend: async () => (await import("./recommend.ts")).recommendBenchmark,
  dev: async () => (await import("./dev-start.ts")).devStartBenchmark,
};

const MARK = "@@rows@@";
const [word = ""] = process.argv.slice(2);
if (process.env.BENCH_CHILD === "1") {
  const load = BENCHMARKS[word];
  if (!load) throw new Error(`there is no benchmark ${word}`);
  console.log(`${MARK}${JSON.stringify(await (await load()).run())}`);
  process.exit(0);
}

const names = Object.keys(BENCHMARKS).filter((name) => name.includes(word));
if (names.length === 0) {
  console.error(`no benchmark has ${word} in its name; there are ${Object.keys(BENCHMARKS).join(", ")}`);
  process.exit(2);
}
const kept = readRows();
for (const name of names) {
  console.log(`${name} …`);
  const output = execFileSync(process.execPath, [import.meta.filename, name], {
    encoding: "utf8",
    env: { ...process.env, BENCH_CHILD: "1" },
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64 * 1024 * 1024,
  });
  const line = output.split("\n").find((text) => text.startsWith(MARK)) ?? `${MARK}[]`;
  const rows = JSON.parse(line.slice(MARK.length)) as Row[];
  for (const row of rows) console.log(`  ${verdict(row)} ${row.what}: ${row.reached} (${row.budget})`);
  kept.set(name, rows);
}
writeFileSync(RESULTS, render(kept));
console.log("written to bench/RESULTS.md");

function verdict({ kept: isKept }: Row): string {
  if (isKept === undefined) return "·";
  return isKept ? "kept" : "MISSED";
}

function render(all: ReadonlyMap<string, readonly Row[]>): string {
  const [cpu] = cpus();
  const lines = [
    "# What it costs",
    "",
    `Written by \`make bench\`. Machine: ${cpus().length} × ${cpu?.model.trim() ?? "unknown processor"}, ` +
      `${Math.round(totalmem() / 1024 ** 3)} GiB, Node ${process.version}, OpenSearch 2.19.6 on the same machine.`,
    "Client, gateway and server share the processors; each ratio is measured side by side in one run, taking turns.",
    "",
    "| what | budget | reached | kept | how |",
    "|---|---|---|---|---|",
    ...[...all.values()]
      .flat()
      .map((row) => `| ${row.what} | ${row.budget} | ${row.reached} | ${verdict(row)} | ${row.note} |`),
  ];
  return `${lines.join("\n")}\n\n<!-- ${JSON.stringify(Object.fromEntries(all))} -->\n`;
}

/** The rows of earlier runs, so that one benchmark can be run alone. */
function readRows(): Map<string, Row[]> {
  try {
    const json = readFileSync(RESULTS, "utf8").match(/<!-- (\{.*\}) -->/s)?.[1];
    const rows = JSON.parse(json ?? "{}") as Record<string, Row[]>;
    return new Map(Object.keys(BENCHMARKS).flatMap((name) => (rows[name] ? [[name, rows[name]]] : [])));
  } catch {
    return new Map();
  }
}
