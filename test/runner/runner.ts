import { join } from "node:path";
import { importsOf, LAYERS, type Layer, layerOf } from "./files.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { runFile } from "./run-file.ts";
import type { SharedFixture, SharedFixtures } from "./shared-fixture.ts";

/** How many files of a layer run at once, and how long one may take. Two cores are the smallest machine in use. */
const LIMITS: Readonly<Record<Layer, { atOnce: number; timeLimitMs: number }>> = {
  unit: { atOnce: 2, timeLimitMs: 120_000 },
  integration: { atOnce: 2, timeLimitMs: 600_000 },
  // The AWS provider waits more than it works: a bucket's life cycle takes it a minute, wherever it is.
  terraform: { atOnce: 2, timeLimitMs: 1_800_000 },
};

export interface RunOptions {
  root: string;
  files: readonly string[];
  list: readonly SharedFixture[];
  fixtures: SharedFixtures;
  ci: boolean;
  /** Replaces the time limit of every layer. */
  timeLimitMs?: number;
  /** Counted up as files end, so that an interrupted run knows how far it came. */
  totals: Totals;
  signal: AbortSignal;
  say: (line: string) => void;
}

/** The counts over all files, and what was not tested for want of a tool (outside of CI). */
export interface Totals {
  passed: number;
  failed: number;
  notTested: string[];
}

/** Runs the files, layer after layer. Prints a line for a file that passes and the whole output of one that fails. */
export async function runFiles(options: RunOptions): Promise<void> {
  const { totals } = options;
  for (const layer of LAYERS) {
    const waiting = options.files.filter((file) => layerOf(file) === layer);
    const worker = async () => {
      for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
        if (options.signal.aborted) return;
        await runOne(file, options);
      }
    };
    await Promise.all(Array.from({ length: LIMITS[layer].atOnce }, worker));
  }
  for (const message of options.fixtures.deaths()) {
    options.say(`✗ ${message}`);
    totals.failed += 1;
  }
  const unavailable = await options.fixtures.unavailable();
  if (options.ci) {
    for (const message of unavailable) options.say(`✗ ${message}`);
    totals.failed += unavailable.length;
  } else {
    totals.notTested.push(...unavailable);
  }
}

async function runOne(file: string, options: RunOptions): Promise<void> {
  const { root, ci, totals, signal, say } = options;
  const shared = await environment(file, options);
  if ("problem" in shared) {
    if (shared.missingTool && !ci) {
      totals.notTested.push(`${file}: ${shared.problem}`);
      return;
    }
    totals.failed += 1;
    say(`✗ ${file}  not run: ${shared.problem}`);
    return;
  }

  const timeLimitMs = options.timeLimitMs ?? LIMITS[layerOf(file)].timeLimitMs;
  const started = performance.now();
  const end = await runFile(file, { root, env: shared.env, timeLimitMs, signal });
  if (signal.aborted) return;
  const outcome = outcomeOf(end, { ci, timeLimitMs });
  totals.passed += outcome.passed;
  totals.failed += outcome.failed;
  if (outcome.failed > 0) say(end.output.trimEnd());
  say(line(file, outcome, performance.now() - started));
}

function line(file: string, { passed, failed, problem }: Outcome, ms: number): string {
  const counts = failed > 0 ? `${passed} passed, ${failed} failed` : `${passed} passed`;
  const time = `${(ms / 1000).toFixed(1)} s`;
  return `${failed > 0 ? "✗" : "✓"} ${file}  ${counts}, ${time}${problem ? `: ${problem}` : ""}`;
}

type Shared = { env: Record<string, string> } | { problem: string; missingTool: boolean };

/** The variables of all shared fixtures that the file needs, or why one of them is not there. */
async function environment(file: string, { root, list, fixtures }: RunOptions): Promise<Shared> {
  const imports = importsOf(root, file);
  const env: Record<string, string> = {};
  for (const fixture of list.filter((candidate) => candidate.needed(file, imports))) {
    const state = await fixtures.get(fixture);
    if (state.kind !== "started") {
      return { problem: `${fixture.name}: ${state.message}`, missingTool: state.kind === "missing-tool" };
    }
    Object.assign(env, state.fixture.env);
  }
  return { env };
}

/** A folder name for a fixture's files. */
export const fixtureFolder = (runFolder: string, fixture: SharedFixture) =>
  join(runFolder, fixture.name.toLowerCase().replace(/[^a-z0-9]+/g, "-"));
