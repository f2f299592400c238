// Is synthesis fast enough to run for every plan?
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Benchmark, load, median } from "./result.ts";

const BUDGET_MS = 800;
const RUNS = 7;

const root = join(import.meta.dirname, "..");
const url = (path: string) => JSON.stringify(pathToFileURL(join(root, path)).href);

/** A script that does what `relevance plan` does: imports, configuration, every stack. Prints its CPU time. */
const script = (outdir: string) => `
  const { fullExample, valid } = await import(${url("test/lib/config/example.ts")});
  const { sampleDiscovery } = await import(${url("stacks/sample-discovery.ts")});
  const { synthesize } = await import(${url("stacks/synthesize.ts")});
  const artifacts = new Proxy({}, { get: () => ({ zip: "x.zip", sha256: "x" }) });
  const config = valid(fullExample());
  synthesize({ config, discovery: sampleDiscovery(config), artifacts, outdir: ${JSON.stringify(outdir)} });
  const { user, system } = process.cpuUsage();
  process.stdout.write(String((user + system) / 1000));
`;

/** Measures the synthesis of all stacks of both services, with every configuration key set. */
export const synthBenchmark: Benchmark = {
  name: "synth",
  async run() {
    const outdir = mkdtempSync(join(tmpdir(), "bench-synth-"));
    try {
      // The first run fills the cache that the CLI has, too.
      const env = { ...process.env, NODE_COMPILE_CACHE: join(outdir, "compile-cache") };
      const runs = Array.from({ length: RUNS }, () => {
        const start = performance.now();
        const cpu = execFileSync(process.execPath, ["--input-type=module", "-e", script(outdir)], { cwd: root, env });
        return { wall: performance.now() - start, cpu: Number(cpu.toString()) };
      });
      const wall = median(runs.map((run) => run.wall));
      const cpu = median(runs.map((run) => run.cpu));
      return [
        {
          what: "synth of all stacks of both services, all keys, from a fresh process",
          budget: `<= ${BUDGET_MS} ms`,
          reached: `${wall.toFixed(0)} ms`,
          kept: wall <= BUDGET_MS,
          note: `median of ${RUNS}; ${cpu.toFixed(0)} ms of CPU; ${load()}`,
        },
      ];
    } finally {
      rmSync(outdir, { recursive: true });
    }
  },
};
