// Does `relevance validate` feel instant?
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fullExample } from "../test/lib/config/example.ts";
import { type Benchmark, load, median } from "./result.ts";

const BUDGET_MS = 400;
const RUNS = 9;

const root = join(import.meta.dirname, "..");

/** Makes a process print its CPU time, in milliseconds, on standard error when it ends. */
const PRINT_CPU = `data:text/javascript,process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(String((user + system) / 1000));
})`;

/** Measures the whole command: start of Node, imports, every file of a configuration with all keys. */
export const validateBenchmark: Benchmark = {
  name: "validate",
  async run() {
    const conf = mkdtempSync(join(tmpdir(), "bench-validate-"));
    try {
      for (const [file, text] of Object.entries(fullExample())) {
        mkdirSync(dirname(join(conf, file)), { recursive: true });
        writeFileSync(join(conf, file), text);
      }
      const runs = Array.from({ length: RUNS }, () => {
        const start = performance.now();
        const args = ["--import", PRINT_CPU, "cli/main.ts", "validate", "--conf", conf];
        const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
        if (status !== 0) throw new Error(`validate ended with ${status}: ${stderr}`);
        return { wall: performance.now() - start, cpu: Number(stderr) };
      });
      const wall = median(runs.map((run) => run.wall));
      const cpu = median(runs.map((run) => run.cpu));
      return [
        {
          what: "relevance validate of both services, all keys",
          budget: `<= ${BUDGET_MS} ms`,
          reached: `${wall.toFixed(0)} ms`,
          kept: wall <= BUDGET_MS,
          note: `median of ${RUNS} fresh processes; ${cpu.toFixed(0)} ms of CPU; ${load()}`,
        },
      ];
    } finally {
      rmSync(conf, { recursive: true });
    }
  },
};
