import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { patient } from "../../packages/processes/wait.ts";
import { FILE_ENV } from "../fixtures/env.ts";
import { BATCH_SIZES, batchOf, importsOf, type Layer, layerOf } from "./files.ts";
import { type FileEnd, type Outcome, outcomeOf } from "./outcome.ts";
import { type RunFileOptions, runBatch, runFile } from "./run-file.ts";
import type { SharedFixture, SharedFixtures, StartedFixture } from "./shared-fixture.ts";

/** Seconds after which a file counts as hanging, even on a machine several times slower than any in use. */
const TIME_LIMITS: Readonly<Record<Layer, number>> = { unit: 300, integration: 1_800, system: 2_700 };

/**
 * The workers that run at the same time: each takes the first waiting file of its first layer that has one. Most
 * files also wait: with five workers, a quarter of the time of two cores was idle. System files take longest, so that in
 * the end all six run them, with about 1.5 GB of memory each.
 */
const WORKERS: readonly (readonly Layer[])[] = [
  ["system", "integration", "unit"],
  ["system", "integration", "unit"],
  ["integration", "unit", "system"],
  ["integration", "unit", "system"],
  ["integration", "unit", "system"],
  ["unit", "integration", "system"],
];

export interface RunOptions {
  root: string;
  files: readonly string[];
  list: readonly SharedFixture[];
  fixtures: SharedFixtures;
  ci: boolean;
  /** Replaces the time limit of every layer. */
  timeLimitMs?: number;
  /** Updated as files end, so that an interrupted run can report what it has done. */
  totals: Totals;
  signal: AbortSignal;
  say: (line: string) => void;
}

/** What a run has done so far. */
export interface Totals {
  passed: number;
  failed: number;
  /** One line for each file or server that failed, with the names of its failed tests. */
  failures: string[];
  /** What was not tested because a tool is missing (outside of CI). */
  notTested: string[];
  /** Seconds of each file that ran, and its processor seconds, if it could tell. */
  seconds: Map<string, { elapsed: number; processor: number | undefined }>;
}

/** Returns the totals of a run that has not started. */
export const noTotals = (): Totals => ({ passed: 0, failed: 0, failures: [], notTested: [], seconds: new Map() });

/** Runs the files, several at a time. Prints a line for a file that passes and the whole output of one that fails. */
export async function runFiles(options: RunOptions): Promise<void> {
  const { totals, fixtures, ci, signal, root, list } = options;
  const waiting = [...options.files];
  const batches = new Map(
    waiting.flatMap((file) => {
      const kind = batchOf(root, file);
      return kind && fixturesOf(file, { root, list }).length === 0 ? [[file, kind] as const] : [];
    }),
  );
  const take = (layers: readonly Layer[]): string[] => {
    const layer = layers.find((one) => waiting.some((file) => layerOf(file) === one));
    if (layer === undefined) return [];
    const ofLayer = waiting.filter((file) => layerOf(file) === layer);
    const kind = ofLayer.map((file) => batches.get(file)).find((one) => one !== undefined);
    const taken = kind
      ? ofLayer.filter((file) => batches.get(file) === kind).slice(0, BATCH_SIZES[kind])
      : ofLayer.slice(0, 1);
    for (const file of taken) waiting.splice(waiting.indexOf(file), 1);
    return taken;
  };
  const worker = async (layers: readonly Layer[]) => {
    for (let files = take(layers); files.length > 0; files = take(layers)) {
      if (signal.aborted) return;
      const [first = ""] = files;
      if (batches.has(first))
        await runBatch(files, processOptions(first, options, {}), (...end) => count(...end, options));
      else await runAlone(first, options);
    }
  };
  await Promise.all(WORKERS.map(worker));
  const unavailable = await fixtures.unavailable();
  for (const message of [...fixtures.deaths(), ...(ci ? unavailable : [])]) fail(options, 1, message);
  if (!ci) totals.notTested.push(...unavailable);
}

function fail({ totals, say }: RunOptions, count: number, message: string, names: readonly string[] = []): void {
  totals.failed += count;
  totals.failures.push([`✗ ${message}`, ...names.map((name) => `    ${name}`)].join("\n"));
  say(`✗ ${message}`);
}

async function runAlone(file: string, options: RunOptions): Promise<void> {
  const { ci, totals } = options;
  const shared = await environment(file, options);
  if ("problem" in shared) {
    if (shared.missingTool && !ci) totals.notTested.push(`${file}: ${shared.problem}`);
    else fail(options, 1, `${file}  not run: ${shared.problem}`);
    return;
  }
  const started = performance.now();
  const word = randomUUID().slice(0, 8);
  const end = await runFile(file, processOptions(file, options, { ...shared.env, [FILE_ENV]: word }));
  count(file, end, (performance.now() - started) / 1_000, options);
  for (const { clean } of shared.started) await clean?.(word);
}

function processOptions(file: string, options: RunOptions, env: Readonly<Record<string, string>>): RunFileOptions {
  const { root, signal, timeLimitMs = patient(TIME_LIMITS[layerOf(file)] * 1_000) } = options;
  return { root, env, signal, timeLimitMs, background: layerOf(file) === "system" };
}

/** Adds a file that has ended to the totals, and prints its line. */
function count(file: string, end: FileEnd, seconds: number, options: RunOptions): void {
  const { ci, totals, signal, say } = options;
  if (signal.aborted) return;
  const outcome = outcomeOf(end, { ci, timeLimitMs: processOptions(file, options, {}).timeLimitMs });
  totals.passed += outcome.passed;
  totals.seconds.set(file, { elapsed: seconds, processor: end.processor });
  const line = describe(file, outcome, seconds);
  if (outcome.failed === 0) {
    say(`✓ ${line}`);
    return;
  }
  say(end.output.trimEnd());
  fail(options, outcome.failed, line, outcome.names);
}

function describe(file: string, { passed, failed, problem }: Outcome, seconds: number): string {
  const counts = failed > 0 ? `${passed} passed, ${failed} failed` : `${passed} passed`;
  return `${file}  ${counts}, ${seconds.toFixed(1)} s${problem ? `: ${problem}` : ""}`;
}

/** Returns what a run prints before its last line: the seconds of each file, what was not tested, what failed. */
export function summaryOf({ seconds, notTested, failures }: Totals): string {
  const slowest = [...seconds].sort(([, a], [, b]) => b.elapsed - a.elapsed);
  const column = (time: number | undefined) => (time?.toFixed(1) ?? "?").padStart(7);
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line.replaceAll("\n", "\n  ")}`)];
  return [
    ...part("FAILED:", failures),
    ...part("NOT TESTED on this machine:", notTested),
    ...part(
      "Seconds of each file and its processor seconds, without those of shared servers, slowest first:",
      slowest.map(([file, { elapsed, processor }]) => `${column(elapsed)} ${column(processor)}  ${file}`),
    ),
    "",
  ].join("\n");
}

type Shared = { env: Record<string, string>; started: StartedFixture[] } | { problem: string; missingTool: boolean };

/** Returns the variables of all shared fixtures that the file needs, or why one of them is not available. */
async function environment(file: string, options: RunOptions): Promise<Shared> {
  const env: Record<string, string> = {};
  const started: StartedFixture[] = [];
  for (const fixture of fixturesOf(file, options)) {
    const state = await options.fixtures.get(fixture);
    if (state.kind !== "started") {
      return { problem: `${fixture.name}: ${state.message}`, missingTool: state.kind === "missing-tool" };
    }
    started.push(state.fixture);
    Object.assign(env, state.fixture.env);
  }
  return { env, started };
}

function fixturesOf(file: string, { root, list }: Pick<RunOptions, "root" | "list">): SharedFixture[] {
  const imports = importsOf(root, file);
  return list.filter(({ needed }) => needed(file, imports));
}

/** Returns a folder for a fixture's files. */
export const fixtureFolder = (runFolder: string, fixture: SharedFixture) =>
  join(runFolder, fixture.name.toLowerCase().replace(/[^a-z0-9]+/g, "-"));
