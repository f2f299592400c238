import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { ConsoleError } from "./problem.ts";

/** The work under a lock takes milliseconds: an older lock is one that a process left when it was killed. */
const STALE_MS = 10_000;
/** A console that waits for another answers nothing else meanwhile. */
const PATIENCE_MS = 1_000;
const PAUSE_MS = 5;

/**
 * Reads and writes a file while no other console of this machine does: `<file>.lock` has the id of the process that
 * works. Throws ConsoleError if another one does not end in time.
 */
export function locked<T>(file: string, work: () => T, patience = PATIENCE_MS): T {
  const lock = `${file}.lock`;
  mkdirSync(dirname(file), { recursive: true });
  const end = Date.now() + patience;
  while (!taken(lock)) {
    if (isStale(lock) && removed(lock)) continue;
    if (Date.now() < end) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    else throw new ConsoleError(409, "busy", `Another console is writing ${file}: try again`);
  }
  try {
    return work();
  } finally {
    // Another process may have taken over the lock of work that took too long.
    if (existsSync(lock) && readFileSync(lock, "utf8") === String(process.pid)) rmSync(lock, { force: true });
  }
}

/**
 * Removes a stale lock, unless another process is about to. Of two that have seen the same stale lock, the second would
 * otherwise remove the new one of the first.
 */
function removed(lock: string): boolean {
  const takeover = `${lock}.takeover`;
  if (!taken(takeover)) {
    if (!isOld(takeover)) return false;
    rmSync(takeover, { force: true });
    return removed(lock);
  }
  try {
    if (isStale(lock)) rmSync(lock, { force: true });
  } finally {
    rmSync(takeover, { force: true });
  }
  return true;
}

function taken(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Whether the process that took a lock is gone. This process is another one: it would have given back its own. */
function isStale(lock: string): boolean {
  try {
    if (isOld(lock)) return true;
    const pid = Number(readFileSync(lock, "utf8"));
    // The other process creates its lock a moment before it writes its id.
    if (pid === 0) return false;
    if (pid === process.pid) return true;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Whether a file is older than any work under a lock; false if there is none. */
const isOld = (file: string): boolean =>
  Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY) > STALE_MS;
