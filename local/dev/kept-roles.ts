import { createHash } from "node:crypto";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Configuration } from "../../lib/config/configuration.ts";
import { PACKAGE_FOLDER, workFolder } from "../../lib/core/folders.ts";
import { readIfThere, replaceFile } from "../process/files.ts";

/** What roles depend on besides the configuration: the stacks, what they import, and the packages that they use. */
export const SOURCES: readonly string[] = ["stacks/**/*.*", "functions/**/*.*", "lib/**/*.*", "package.json"];

/**
 * Returns what `make` returned for the same configuration, unless a source has changed since. Stacks take most of a second
 * of processor time, at each start of `make dev`.
 */
export async function keptRoles<Roles>(
  configuration: Configuration,
  make: () => Promise<Roles>,
  { root = PACKAGE_FOLDER, folder = join(workFolder(), ".local/roles") } = {},
): Promise<Roles> {
  const file = join(folder, `${keyOf(configuration, root)}.json`);
  const text = readIfThere(file);
  if (text !== undefined) return JSON.parse(text);
  const roles = await make();
  replaceFile(file, JSON.stringify(roles));
  return roles;
}

function keyOf(configuration: Configuration, root: string): string {
  const key = createHash("sha256").update(JSON.stringify(configuration));
  for (const source of globSync(SOURCES, { cwd: root }).sort()) {
    const { size, mtimeMs } = statSync(join(root, source));
    key.update(`\n${source} ${size} ${mtimeMs}`);
  }
  return key.digest("hex").slice(0, 24);
}
