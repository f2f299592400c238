import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";

/** An editor writes a file in several steps, so changes within this time (ms) count as one. */
const SETTLED_MS = 300;

/** The text of each file by its path in the configuration folder. */
export type ConfigurationFiles = ReadonlyMap<string, string>;

/**
 * Calls `onChange` with the files, relative to the folder, whose content differs from `known` or from the call before.
 * Returns a function that stops watching.
 */
export function watchConfiguration(
  folder: string,
  known: ConfigurationFiles,
  onChange: (changed: string[], files: ConfigurationFiles) => void,
): () => void {
  let last = known;
  const compare = () => {
    const now = configurationFiles(folder);
    const changed = [...new Set([...last.keys(), ...now.keys()])].filter((file) => last.get(file) !== now.get(file));
    last = now;
    if (changed.length > 0) onChange(changed.sort(), now);
  };
  let timer = setTimeout(compare, SETTLED_MS);
  const watcher = watch(folder, { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(compare, SETTLED_MS);
  });
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}

/** Reads the files of a configuration folder. Empty if there is none. */
export function configurationFiles(folder: string): ConfigurationFiles {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(yaml|json|txt)$/.test(file),
  );
  return new Map(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
}

/** Returns a text that is equal for equal files only. */
export function versionOf(files: ConfigurationFiles): string {
  return createHash("sha256")
    .update(JSON.stringify([...files].sort(([one], [other]) => (one < other ? -1 : 1))))
    .digest("hex");
}
