import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalError } from "@relevance/processes/error.ts";
import { readIfThere, replaceFile } from "@relevance/processes/files.ts";
import { isOtherAlive } from "@relevance/processes/scratch.ts";

/** Where the stack's servers are, and their keys. */
export interface Addresses {
  search: { url: string; api_key: string };
  /** Present if the stack includes the recommendation service. */
  recommendation?: { url: string; api_key: string };
  /** The keys of api.yaml by their names, if it lists any. The keys above are unrestricted. */
  keys?: Readonly<Record<string, string>>;
  console: { url: string };
  /** The shop page, if the configuration is the demo's. */
  shop?: { url: string };
  opensearch: { url: string; version: string };
  aws: { endpoint: string };
  pid: number;
}

/** The content of `dev.json`, in which scripts find the addresses of the stack. */
export interface DevState extends Addresses {
  /** The configuration folder; the version of its files that the stack has read last, and why it does not use it. */
  configuration: { folder: string; version: string; problem?: string };
}

/** The exclusive right of one process to run the stack in a folder. */
export interface Claim {
  /** Writes `dev.json`, which signals that everything is ready. */
  publish(state: DevState): void;
  /** Removes `dev.json` and frees the folder. Synchronous, so that it also works while the process exits. */
  release(): void;
}

/** Names the process that runs a stack in the folder. */
export const lockFile = (dir: string) => join(dir, "dev.pid");

/** Has the stack's addresses while it runs. */
export const stateFile = (dir: string) => join(dir, "dev.json");

/** Claims the folder for this process. Throws LocalError if another `make dev` has it. */
export function claimFolder(dir: string): Claim {
  const lock = lockFile(dir);
  const state = stateFile(dir);
  mkdirSync(dir, { recursive: true });
  const holder = takeLock(lock);
  if (holder !== undefined) {
    throw new LocalError(
      `another \`make dev\` is running here (pid ${holder}): use it (its addresses are in ${state}) or stop it. ` +
        `Is that process something else? Remove ${lock}`,
    );
  }
  // A killed process may have left it behind.
  rmSync(state, { force: true });

  let held = true;
  return {
    publish(content) {
      if (!held) return;
      // Renamed into place when complete, because scripts wait for it. Readable by the user only: it contains API keys.
      replaceFile(state, `${JSON.stringify(content, undefined, 2)}\n`, 0o600);
    },
    release() {
      if (!held) return;
      held = false;
      rmSync(state, { force: true });
      rmSync(lock, { force: true });
    },
  };
}

/**
 * Creates the lock file for this process. Returns undefined, or the PID of the process that has it.
 *
 * A killed process leaves its file behind, and two starting processes may both find it. If each removed it, the second
 * could remove the first one's new lock. So a process must take a second lock, named after the file's content, before
 * it replaces the file. Every lock has different content, so a process with an outdated view cannot replace a newer
 * lock.
 */
export function takeLock(lock: string): number | undefined {
  const own = `${lock}.new-${process.pid}`;
  // Linked or renamed into place when complete, so that readers never see an empty file.
  writeFileSync(own, `${process.pid} ${randomUUID()}\n`);
  try {
    for (;;) {
      if (tryLink(own, lock)) return undefined;
      const found = readIfThere(lock);
      if (found === undefined) continue;
      const pid = Number(found.trim().split(" ")[0]);
      if (isOtherAlive(pid)) return pid;
      const succession = `${lock}.${found.trim().replaceAll(/[^\w-]/g, "-")}`;
      const successor = takeLock(succession);
      if (successor !== undefined) return successor;
      try {
        if (readIfThere(lock) !== found) continue;
        renameSync(own, lock);
        return undefined;
      } finally {
        rmSync(succession);
      }
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** Creates a hard link. Returns false if the name is taken. */
function tryLink(file: string, name: string): boolean {
  try {
    linkSync(file, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
