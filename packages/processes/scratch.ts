import { globSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Creates the empty folder `<parent>/<name>-<our pid>` and returns its path. Remove it when done. Folders of the same
 * name that killed processes left behind are removed first.
 */
export function scratchFolder(parent: string, name: string): string {
  for (const folder of globSync(join(parent, `${name}-*`))) {
    const pid = Number(folder.split("-").at(-1));
    if (Number.isInteger(pid) && !isOtherAlive(pid)) rmSync(folder, { recursive: true, force: true });
  }
  const own = join(parent, `${name}-${process.pid}`);
  mkdirSync(own, { recursive: true });
  return own;
}

/** Returns whether another process is alive. In a container PIDs restart, so our own PID means an earlier process. */
export function isOtherAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
