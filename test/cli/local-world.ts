import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DevState } from "../../packages/local/dev/state-file.ts";
import { ROOT } from "../fixtures/env.ts";
import type { Run } from "./run-cli.ts";
import { runHere } from "./run-here.ts";

/** A run of the CLI that may still be in progress. */
export interface StartedRun {
  kill(signal: NodeJS.Signals): boolean;
  /** What it has printed on standard error so far. */
  errors(): string;
  /** Resolves when it ends. */
  ended: Promise<Run>;
}

/** Starts the CLI in a folder, in which `--local` finds `.local/dev.json` and `conf.local`. */
export function startCli(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): StartedRun {
  const { NO_COLOR: _, FORCE_COLOR: __, ...inherited } = process.env;
  const child = spawn(process.execPath, [join(ROOT, "cli/main.ts"), ...args], {
    cwd: folder,
    env: { ...inherited, COLUMNS: "100", AWS_EC2_METADATA_DISABLED: "true", ...env },
  });
  const texts = { out: "", err: "" };
  child.stdout.on("data", (part) => {
    texts.out += part;
  });
  child.stderr.on("data", (part) => {
    texts.err += part;
  });
  const ended = new Promise<Run>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ ...texts, code }));
  });
  return { kill: (signal) => child.kill(signal), errors: () => texts.err, ended };
}

let lastRun: Promise<unknown> = Promise.resolve();

/** Runs the CLI in this process and in a folder. Runs wait for each other: they share the working directory. */
function runIn(folder: string, args: readonly string[]): Promise<Run> {
  const run = lastRun.then(async () => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      return await runHere(args);
    } finally {
      process.chdir(before);
    }
  });
  lastRun = run.catch(() => undefined);
  return run;
}

/**
 * A folder in which `--local` finds a local stack at an endpoint, and the CLI in it: `run` and `start` start a
 * process, so as not to block this one, which the stand-ins live in; `runHere` saves that.
 */
export function localFolder(endpoint: string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), "local-"));
  cpSync(join(ROOT, "conf.local"), join(folder, "conf.local"), { recursive: true });
  if (endpoint !== undefined) {
    mkdirSync(join(folder, ".local"));
    const nowhere = "http://127.0.0.1:9";
    const state: DevState = {
      search: { url: nowhere, api_key: "none" },
      console: { url: "http://127.0.0.1:5" },
      opensearch: { url: nowhere, version: "none" },
      aws: { endpoint },
      configuration: { folder: join(folder, "conf.local"), version: "none" },
      pid: process.pid,
    };
    writeFileSync(join(folder, ".local", "dev.json"), JSON.stringify(state));
  }
  const start = (...args: string[]) => startCli(folder, args);
  return {
    folder,
    remove: () => rmSync(folder, { recursive: true }),
    run: (...args: string[]): Promise<Run> => start(...args).ended,
    runHere: (...args: string[]): Promise<Run> => runIn(folder, args),
    start,
  };
}
