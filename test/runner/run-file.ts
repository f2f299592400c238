import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { END_OF_FILE, type FileResult } from "./batch.ts";
import type { FileEnd } from "./outcome.ts";
import { USAGE_ENV, usageOf } from "./usage.ts";

export interface RunFileOptions {
  root: string;
  env: Readonly<Record<string, string>>;
  /** The time limit of each file. */
  timeLimitMs: number;
  /** Ends the process immediately. */
  signal: AbortSignal;
  /** Whether to yield the processor to other files. */
  background: boolean;
}

/** Terraform and its provider parse a schema of 100 MB in each command: fewer collections save a third of its CPU time. */
const GARBAGE_COLLECTION = { GOGC: "400" };

const BATCH = join(import.meta.dirname, "batch.ts");

/** What every Node.js process of a run loads first, see there. */
const STRIP_ONCE = pathToFileURL(join(import.meta.dirname, "strip-once.mjs"));
STRIP_ONCE.searchParams.set("folder", join(TEST_OUTPUT, "stripped"));
const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --import=${STRIP_ONCE.href}`;

/** Runs one test file in its own process and returns how it ended. */
export async function runFile(file: string, options: RunFileOptions): Promise<FileEnd> {
  let output = "";
  const end = await run([file], options, (text) => {
    output += text;
  });
  return { ...end, ...usageOf(output) };
}

/**
 * Runs test files one after another in one process, which saves the start of Node.js and the imports that they share, and
 * reports each as it ends. A file that ends the process fails; the files after it run in a new process.
 */
export async function runBatch(
  files: readonly string[],
  options: RunFileOptions,
  report: (file: string, end: FileEnd, seconds: number) => void,
): Promise<void> {
  const left = [...files];
  while (left.length > 0 && !options.signal.aborted) {
    let output = "";
    let started = performance.now();
    const end = await run([BATCH, ...left], options, (text, restartClock) => {
      output += text;
      for (let at = output.indexOf(END_OF_FILE); at >= 0; at = output.indexOf(END_OF_FILE)) {
        const lineEnd = output.indexOf("\n", at);
        if (lineEnd < 0) return;
        const { code, seconds, processor } = JSON.parse(output.slice(at + 1, lineEnd)) as FileResult;
        const end = { output: output.slice(0, at), code, signal: null, timedOut: false, processor };
        report(left.shift() ?? "", end, seconds);
        output = output.slice(lineEnd + 1);
        started = performance.now();
        restartClock();
      }
    });
    const culprit = left.shift();
    if (culprit !== undefined && !options.signal.aborted) {
      report(culprit, { ...end, ...usageOf(output) }, (performance.now() - started) / 1_000);
    }
  }
}

/** Runs Node.js and returns how it ended, without its output. Kills what it leaves running in its process group. */
function run(
  args: readonly string[],
  { root, env, timeLimitMs, signal, background }: RunFileOptions,
  onOutput: (text: string, restartClock: () => void) => void,
): Promise<Omit<FileEnd, "output">> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...GARBAGE_COLLECTION, ...process.env, NODE_OPTIONS, ...env, [USAGE_ENV]: String(process.pid) },
      // Starts its own process group, so that all of it can be killed.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (background && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    const endGroup = () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== "ESRCH" && code !== "EPERM") throw error;
      }
    };
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      endGroup();
    }, timeLimitMs);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => onOutput(text, () => timer.refresh()));
    }
    if (signal.aborted) endGroup();
    signal.addEventListener("abort", endGroup, { once: true });

    child.once("error", reject);
    child.once("exit", endGroup);
    child.once("close", (code, killedBy) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", endGroup);
      resolve({ code, signal: killedBy, timedOut });
    });
  });
}
