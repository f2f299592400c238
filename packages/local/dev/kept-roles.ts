import { createHash } from "node:crypto";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_FOLDER, workFolder } from "@relevance/lib/platform/folders.ts";
import type { Configuration } from "@relevance/lib/settings/configuration.ts";
import { readIfThere, replaceFile } from "@relevance/processes/files.ts";

/** Sources that the roles depend on besides the configuration: the stacks, their imports and packages. */
export const SOURCES: readonly string[] = ["stacks/**/*.*", "functions/**/*.*", "lib/**/*.*", "package.json"];

/**
 * Returns the cached result of `make` for the same configuration, unless a source has changed since. Loading the stacks
 * takes most of a second at each start of `make dev`.
 */
export async function keptRoles<Roles>(
  configuration: Configuration,
  make: () => Promise<Roles>,
  { root = PACKAGE_FOLDER, folder = join(workFolder(), ".local/roles") } = {},
): Promise<Roles> {
  const file = join(folder, `${hashOf(JSON.stringify(configuration)).slice(0, 24)}.json`);
  const sources = hashOf(sourcesOf(root));
  const text = readIfThere(file);
  const kept: { sources: string; roles: Roles } | undefined = text === undefined ? undefined : JSON.parse(text);
  if (kept?.sources === sources) return kept.roles;
  const roles = await make();
  replaceFile(file, JSON.stringify({ sources, roles }));
  return roles;
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Returns a text that changes with every source. */
const sourcesOf = (root: string): string =>
  globSync(SOURCES, { cwd: root })
    .sort()
    .map((source) => {
      const { size, mtimeMs } = statSync(join(root, source));
      return `${source} ${size} ${mtimeMs}`;
    })
    .join("\n");
