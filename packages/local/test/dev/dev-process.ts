import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { waitFor } from "@relevance/processes/wait.ts";
import { ROOT } from "../../../../test/fixtures/env.ts";
import { PORTS } from "../../dev/options.ts";
import type { DevState } from "../../dev/state-file.ts";

/** A test's own `make dev`, in its own folder. */
export interface DevProcess {
  pid: number;
  /** Everything it has printed. */
  output(): string;
  /** Waits until it is ready and has printed so. */
  ready(): Promise<DevState>;
  /** Sends Ctrl-C as a terminal does: to the process and everything in its group. */
  interrupt(): void;
  /** The exit code. */
  exited: Promise<number | null>;
}

/** First starts install servers; later ones take seconds. */
const READY_MS = 900_000;

/** What to start, in place of the program of the repository. */
interface Started {
  standIns?: boolean;
  command?: readonly string[];
  cwd?: string;
}

/** Starts with the stand-in models, which need no download, unless `standIns` is false. */
export function startDev(
  dir: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  { standIns = true, command = [process.execPath, "packages/local/dev/main.ts"], cwd = ROOT }: Started = {},
): DevProcess {
  scatterPorts(dir);
  const { OPENSEARCH_URL: _url, PORT: _port, ...inherited } = process.env;
  const [program = "", ...words] = command;
  const child = spawn(program, [...words, "--dir", dir, ...(standIns ? ["--stand-ins"] : []), ...args], {
    cwd,
    env: { ...inherited, ...env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const { pid } = child;
  if (pid === undefined) throw new Error("make dev could not be started");
  endWithThisProcess(child, pid);
  const file = join(dir, "dev.json");
  return {
    pid,
    exited,
    output: () => output,
    interrupt: () => process.kill(-pid, "SIGINT"),
    ready: () =>
      waitFor(async () => isPrinted(output) && existsSync(file) && JSON.parse(readFileSync(file, "utf8")), {
        what: "make dev to be ready",
        timeoutMs: READY_MS,
        abort: exited.then((code) => Promise.reject(new Error(`make dev ended with ${code}:\n${output}`))),
        context: () => output,
      }),
  };
}

/** Stores ports as if the stack had started before: test files run in parallel, and would compete for the usual ports. */
function scatterPorts(dir: string): void {
  const file = join(dir, "ports.json");
  if (existsSync(file)) return;
  mkdirSync(dir, { recursive: true });
  const first = 12_000 + Math.floor(Math.random() * 19_000);
  writeFileSync(file, JSON.stringify(Object.fromEntries(PORTS.map((name, place) => [name, first + place]))));
}

/** Returns whether everything has been printed, which is a moment after the state file appears. */
const isPrinted = (output: string) => output.includes("Ctrl-C stops everything");

/**
 * Kills the group when this process ends, however it ends: an interrupted run kills its test files. A killed process
 * cannot clean up, but its pipe closes.
 */
function endWithThisProcess(leader: ChildProcess, group: number): void {
  const script = `process.stdin.resume().once("end", () => process.kill(-${group}, "SIGKILL"))`;
  const watcher = spawn(process.execPath, ["-e", script], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  watcher.unref();
  (watcher.stdin as Socket).unref();
  leader.once("close", () => watcher.kill());
}

/** Returns the processes whose command line contains the folder. */
export function processesOf(dir: string): string[] {
  return execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(dir));
}
