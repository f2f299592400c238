import { existsSync, globSync, renameSync, rmSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isOtherAlive, scratchFolder } from "./scratch.ts";
import { waitFor } from "./wait.ts";

/** A folder that is built once. */
export interface Installation {
  dir: string;
  /** Name of the folder in `dir`. */
  name: string;
  isComplete(home: string): boolean;
  /** Called every ten seconds with the progress. */
  onProgress?: ((line: string) => void) | undefined;
  /** Progress interval (ms). Tests use a shorter one. */
  everyMs?: number;
  /** The longest wait (ms) for another process that seems to build the same folder. Tests use a shorter one. */
  waitMs?: number;
  /** Builds the folder at `staged`. It is moved into place afterwards, so everything in it must be relocatable. */
  build(staged: string): Promise<void>;
}

/**
 * Builds a folder, unless it is complete, and returns its path. It is built in a temporary folder and moved into place, so
 * an interrupted or concurrent installation leaves nothing incomplete.
 */
export async function installOnce(installation: Installation): Promise<string> {
  const { dir, name, isComplete, build, onProgress, everyMs = 10_000 } = installation;
  const home = join(resolve(dir), name);
  if (isComplete(home)) return home;
  await othersFinish(installation);
  if (isComplete(home)) return home;
  const staging = scratchFolder(resolve(dir), `.installing-${name}`);
  const staged = join(staging, name);
  const begun = performance.now();
  const timer = setInterval(async () => {
    const megabytes = Math.round((await bytesIn(staging)) / 1e6);
    // The folder may have been moved meanwhile; then its size means nothing.
    if (existsSync(staging)) onProgress?.(`  ${name}: ${secondsSince(begun)} s, ${megabytes} MB so far`);
  }, everyMs);
  try {
    await build(staged);
    moveInto(staged, home, isComplete);
  } finally {
    clearInterval(timer);
    rmSync(staging, { recursive: true, force: true });
  }
  return home;
}

/**
 * Waits while other processes build the same folder, which saves the download and half a minute of processor time. Two
 * that start at the same moment both build it. So does one that has waited too long, because a killed process's PID may
 * belong to another program.
 */
async function othersFinish({ dir, name, onProgress, waitMs: timeoutMs = 180_000 }: Installation): Promise<void> {
  for (const staging of globSync(join(resolve(dir), `.installing-${name}-*`))) {
    const pid = Number(staging.split("-").at(-1));
    if (!isOtherAlive(pid)) continue;
    onProgress?.(`waiting for process ${pid}, which is installing ${name}`);
    const ended = async () => !existsSync(staging) || !isOtherAlive(pid);
    await waitFor(ended, { what: `process ${pid}`, timeoutMs }).catch(() => undefined);
  }
}

const secondsSince = (begun: number) => ((performance.now() - begun) / 1000).toFixed(0);

/** Returns the size of a folder in which another process may be writing. */
async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function moveInto(staged: string, home: string, isComplete: Installation["isComplete"]) {
  try {
    renameSync(staged, home);
  } catch (error) {
    // Another process may have finished the same installation meanwhile, and a server may already run from it.
    if (isComplete(home)) return;
    if (!existsSync(home)) throw error;
    rmSync(home, { recursive: true, force: true });
    renameSync(staged, home);
  }
}
