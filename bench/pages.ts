import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Benchmark, load, type Row } from "./result.ts";

/** How many random searches each file of tests plays. */
const SEARCHES = Number(process.env.BENCH_SEARCHES ?? 100_000);

const PLAYED = [
  { file: "page/pages", what: "random stages" },
  { file: "stages/rerank-hits", what: "random stages and rerankers that work, fail, are late or answer nonsense" },
  { file: "stages/pin-documents", what: "random rules" },
  { file: "stages/boost-hits", what: "random boosts" },
];

/** Plays in full what the unit tests of the page play in part: random searches × random stages × random pages. */
export const pagesBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const rows: Row[] = [];
    for (const { file, what } of PLAYED) {
      const start = performance.now();
      const wrong = await played(file);
      const seconds = (performance.now() - start) / 1_000;
      rows.push({
        what: `${SEARCHES.toLocaleString("en")} random searches × ${what} × random pages: a hit that is not shown once, or not where it must be`,
        budget: "0",
        reached: wrong === undefined ? "0" : "at least 1",
        kept: wrong === undefined,
        note: wrong ?? `test/lib/search/${file}.test.ts in ${seconds.toFixed(0)} s; ${load()}`,
      });
    }
    return rows;
  },
};

/** Returns what a file of tests says of its first failure, or undefined if it passes. */
async function played(file: string): Promise<string | undefined> {
  const path = join(import.meta.dirname, `../test/lib/search/${file}.test.ts`);
  const env = { ...process.env, PAGE_SEARCHES: `${SEARCHES}`, RULE_SEARCHES: `${SEARCHES}` };
  return promisify(execFile)(process.execPath, [path], { env }).then(
    () => undefined,
    ({ stdout }: { stdout: string }) => stdout.slice(-1_000),
  );
}
