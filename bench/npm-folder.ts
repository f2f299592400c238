import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "../packages/processes/scratch.ts";
import { ROOT } from "../test/fixtures/env.ts";

/**
 * Installs the packages that the lock file in a folder pins, with their hashes, and returns the installed folder. It is
 * named after the lock, so it is made once and again only when the lock changes. For tools that only a benchmark needs.
 */
export function installNpm(folder: string, name: string): string {
  const lock = readFileSync(join(folder, "package-lock.json"));
  const home = join(ROOT, ".local", `npm-${name}-${createHash("sha256").update(lock).digest("hex").slice(0, 12)}`);
  if (existsSync(home)) return home;
  const staging = scratchFolder(join(ROOT, ".local"), `.installing-npm-${name}`);
  try {
    for (const file of ["package.json", "package-lock.json"]) cpSync(join(folder, file), join(staging, file));
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    execFileSync("npm", ["ci", ...options], { cwd: staging, stdio: ["ignore", "ignore", "inherit"] });
    renameSync(staging, home);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return home;
}
