import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalError } from "../process/error.ts";

/** The content of `dev.json`, in which scripts find the addresses of the stack. */
export interface DevState {
  search: { url: string; api_key: string };
  /** Present if the stack includes the recommendation service. */
  recommendation?: { url: string; api_key: string };
  opensearch: { url: string; version: string };
  aws: { endpoint: string };
  pid: number;
}

/** The exclusive right of one process to run the stack in a folder. */
export interface Claim {
  /** Writes `dev.json`, which signals that everything is ready. */
  publish(state: DevState): void;
  /** Removes `dev.json` and frees the folder. Synchronous, so that it also works while the process exits. */
  release(): void;
}

/** Claims the folder for this process. Throws LocalError if another `make dev` has it. */
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
  // A killed process may have left it behind.
  rmSync(state, { force: true });

  let held = true;
  return {
    publish(content) {
      // Renamed into place when complete, because scripts wait for it. Readable by the user only: it contains API keys.
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

/** Returns whether another process is alive. In a container PIDs restart, so our own PID means an earlier process. */
function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
