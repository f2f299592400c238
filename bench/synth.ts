/** What writing all stacks costs, from a fresh process: `node bench/synth.ts`. The budget is 1.5 s (design). */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const BUDGET_MS = 1_500;
const RUNS = 7;

const root = join(import.meta.dirname, "..");
const url = (path: string) => JSON.stringify(pathToFileURL(join(root, path)).href);
const outdir = mkdtempSync(join(tmpdir(), "bench-synth-"));

/** A whole process, as `relevance plan` pays it: start, imports, configuration, every stack. */
const script = `
  const { configuration, discoveryOf } = await import(${url("test/fixtures/configurations/configurations.ts")});
  const { synthesize } = await import(${url("stacks/synthesize.ts")});
  const artifact = { zip: "x.zip", sha256: "x" };
  const artifacts = { "api-router": artifact, "log-handler": artifact, "cluster-scaler": artifact };
  const config = configuration("all-options");
  synthesize({ config, discovery: discoveryOf(config), artifacts, outdir: ${JSON.stringify(outdir)} });
`;

try {
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: root });
    return performance.now() - start;
  }).sort((a, b) => a - b);
  const median = times[Math.floor(RUNS / 2)] ?? Number.NaN;
  const spread = `${times[0]?.toFixed(0)} to ${times.at(-1)?.toFixed(0)} ms`;
  console.log(`synth of all stacks: median ${median.toFixed(0)} ms of ${RUNS} (${spread}), budget ${BUDGET_MS} ms`);
  if (median > BUDGET_MS) process.exitCode = 1;
} finally {
  rmSync(outdir, { recursive: true });
}
