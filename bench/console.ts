// Does the console answer a click at once, also when much is stored?
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { judgmentFiles } from "../packages/lab/server/judgment-files.ts";
import { createRuns } from "../packages/lab/server/runs.ts";
import { FOLDER } from "./gateway-setup.ts";
import { type Benchmark, load, median, ms } from "./result.ts";

const ROWS = 100_000;
const GRADES = 200;
const STORED_RUNS = 200;
const BUDGET = { ms: 10, kB: 10 };

/** Measures the processor time of a grade in a file of many judgments, what it answers, and of listing stored runs. */
export const consoleBenchmark: Benchmark = {
  async run() {
    const folder = join(FOLDER, "console");
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const judgments = judgmentFiles(folder, "ada");
    const row = (i: number) => `a query of four words ${i % 2_000},b${i},${i % 4},,ada,2026-01-02T03:04:05.000Z`;
    const rows = Array.from({ length: ROWS }, (_, i) => row(i));
    writeFileSync(judgments.path("many"), `${["query,doc,grade,index,who,when", ...rows].join("\n")}\n`);
    judgments.read("many");
    let answered = 0;
    const grades = Array.from({ length: GRADES }, (_, i) =>
      processorTime(() => {
        const doc = i % 2 === 0 ? `new${i}` : `b${i * 7}`;
        const query = `a query of four words ${(i * 7) % 2_000}`;
        answered = Math.max(
          answered,
          JSON.stringify(judgments.judge("many", { query, doc, grade: 3, index: "" })).length,
        );
      }),
    );
    const grade = median(grades);
    const runs = join(folder, "runs");
    mkdirSync(runs);
    for (let i = 0; i < STORED_RUNS; i += 1) {
      const id = `2026-01-02T03-04-05-${String(i).padStart(3, "0")}Z-tune`;
      const fields = { id, kind: "tune", when: "2026-01-02T03:04:05Z", judgments: "many", index: "books" };
      writeFileSync(join(runs, `${id}.json`), JSON.stringify({ ...fields, result: rows.slice(0, 10_000) }));
    }
    const gateway = { url: "http://127.0.0.1:1", key: "" };
    const list = createRuns({ folder: runs, judgments, gateway, conf: "" });
    const listing = median(Array.from({ length: 9 }, () => processorTime(() => list.list())));
    const size = statSync(judgments.path("many")).size / 1e6;
    return [
      {
        what: `a grade in the console, in a file of ${ROWS} judgments`,
        budget: `≤ ${BUDGET.ms} ms of processor time, ≤ ${BUDGET.kB} kB answered`,
        reached: `${ms(grade)}, ${(answered / 1_000).toFixed(1)} kB`,
        kept: grade <= BUDGET.ms && answered <= BUDGET.kB * 1_000,
        note: `median of ${GRADES}, half of them new and half in place of an earlier one; ${size.toFixed(1)} MB; ${load()}`,
      },
      {
        what: `the list of ${STORED_RUNS} stored runs in the console`,
        budget: "none",
        reached: ms(listing),
        kept: undefined,
        note: `processor time, median of 9; each run's result has ${(statSync(join(runs, "2026-01-02T03-04-05-000Z-tune.json")).size / 1e6).toFixed(1)} MB`,
      },
    ];
  },
};

function processorTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
