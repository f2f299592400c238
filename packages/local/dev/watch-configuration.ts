import { readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";

/** An editor writes a file in several steps, so changes within this time (ms) count as one. */
const SETTLED_MS = 300;

/**
 * Calls `onChange` with the files, relative to the folder, whose content has changed. Returns a function that stops
 * watching.
 */
export function watchConfiguration(folder: string, onChange: (files: string[]) => void): () => void {
  let known = contents(folder);
  let timer: NodeJS.Timeout | undefined;
  const compare = () => {
    const now = contents(folder);
    const changed = [...new Set([...known.keys(), ...now.keys()])].filter((file) => known.get(file) !== now.get(file));
    known = now;
    if (changed.length > 0) onChange(changed.sort());
  };
  const watcher = watch(folder, { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(compare, SETTLED_MS);
  });
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}

function contents(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(yaml|json)$/.test(file),
  );
  return new Map(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
}
