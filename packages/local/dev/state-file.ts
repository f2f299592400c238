import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalError } from "@relevance/processes/error.ts";
import { readIfThere, replaceFile } from "@relevance/processes/files.ts";
import { isOtherAlive } from "@relevance/processes/scratch.ts";

/** The content of `dev.json`, in which scripts find the addresses of the stack. */
export interface DevState {
  search: { url: string; api_key: string };
  /** Present if the stack includes the recommendation service. */
  recommendation?: { url: string; api_key: string };
  /** The keys of api.yaml by their names, if it lists any. Those above may do everything. */
  keys?: Readonly<Record<string, string>>;
  console: { url: string };
  /** The shop page, if the configuration is the demo's. */
  shop?: { url: string };
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
 * A killed process leaves its file behind, and two starts may find it at once. If each removed it, the second would
 * remove the lock of the first. So only the process that holds a second lock, named after what the file contains, may
 * replace it. Every lock has other contents, so a process that read the file long ago cannot replace a later one.
 */
export function takeLock(lock: string): number | undefined {
  const own = `${lock}.new-${process.pid}`;
  // Linked or renamed into place when complete, so that nobody reads an empty file.
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

/** Gives a file a second name. Returns false if the name is taken. */
function tryLink(file: string, name: string): boolean {
  try {
    linkSync(file, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
