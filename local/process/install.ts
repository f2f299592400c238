import { existsSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { scratchFolder } from "./scratch.ts";

/** A folder that is built once. */
export interface Installation {
  dir: string;
  /** Name of the folder in `dir`. */
  name: string;
  isComplete(home: string): boolean;
  /** Builds the folder at `staged`. It is moved into place afterwards, so everything in it must be relocatable. */
  build(staged: string): Promise<void>;
}

/**
 * Builds a folder, unless it is complete, and returns its path. It is built in a temporary folder and moved into place, so
 * an interrupted or concurrent installation leaves nothing incomplete.
 */
export async function installOnce({ dir, name, isComplete, build }: Installation): Promise<string> {
  const home = join(resolve(dir), name);
  if (isComplete(home)) return home;
  const staging = scratchFolder(resolve(dir), `.installing-${name}`);
  const staged = join(staging, name);
  try {
    await build(staged);
    moveInto(staged, home, isComplete);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return home;
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
