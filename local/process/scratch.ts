import { globSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Creates the empty folder `<parent>/<name>-<our pid>` and returns its path. Remove it when done. Folders of the same
 * name that killed processes left behind are removed first.
 */
export function scratchFolder(parent: string, name: string): string {
  for (const folder of globSync(join(parent, `${name}-*`))) {
    const pid = Number(folder.split("-").at(-1));
    if (Number.isInteger(pid) && (pid === process.pid || !isAlive(pid)))
      rmSync(folder, { recursive: true, force: true });
  }
  const own = join(parent, `${name}-${process.pid}`);
  mkdirSync(own, { recursive: true });
  return own;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
