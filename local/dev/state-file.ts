import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalError } from "../process/error.ts";

/** `dev.json`: tells scripts where everything is (decisions section 8). */
export interface DevState {
  search: { url: string; api_key: string };
  /** There when the recommendation service is part of the stack. */
  recommendation?: { url: string; api_key: string };
  opensearch: { url: string; version: string };
  aws: { endpoint: string };
  pid: number;
}

/** The right of one process to run the stack in a folder. */
export interface Claim {
  /** Writes `dev.json`: all is ready. */
  publish(state: DevState): void;
  /** Removes it, and lets another process in. Synchronous, so that it also works while the process exits. */
  release(): void;
}

/** Takes the folder for this process. Throws LocalError when another `make dev` has it. */
export function claimFolder(dir: string): Claim {
  const lock = join(dir, "dev.pid");
  const state = join(dir, "dev.json");
  mkdirSync(dir, { recursive: true });
  while (!tryLock(lock)) {
    const pid = Number(readIfThere(lock));
    if (isAlive(pid)) {
      throw new LocalError(
        `another \`make dev\` is running here (pid ${pid}): use it (its addresses are in ${state}) or stop it. ` +
          `Is that process something else? Remove ${lock}`,
      );
    }
    rmSync(lock, { force: true });
  }
  // Left by a process that was killed.
  rmSync(state, { force: true });

  let held = true;
  return {
    publish(content) {
      // Moved to its place when it is whole, since scripts wait for it. It holds the API keys.
      writeFileSync(`${state}.new`, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
      renameSync(`${state}.new`, state);
    },
    release() {
      if (!held) return;
      held = false;
      rmSync(state, { force: true });
      rmSync(lock, { force: true });
    },
  };
}

function tryLock(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** Our own pid is that of an earlier process, as in a container, where they begin anew. */
function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
