/**
 * Preloaded into every Node.js process of a test run: takes the types out of each source file once, instead of once in
 * each of some thousand processes, where that took half of a short command's processor time. The code that runs is the
 * one that Node.js itself would make, with the same lines and columns.
 *
 * The folder of the results is this module's `?folder=`. A result counts as long as it has the time of its source.
 */
import { mkdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(new URL(import.meta.url).searchParams.get("folder"), process.version);
// Node.js 20, under which the packed program is tested, has no types to take out.
module.registerHooks?.({
  load(url, context, next) {
    if (!url.startsWith("file:") || !url.endsWith(".ts")) return next(url, context);
    const path = fileURLToPath(url);
    const result = join(folder, path);
    const { mtime } = statSync(path);
    return { format: "module", source: kept(result, mtime) ?? keep(result, mtime, path, url), shortCircuit: true };
  },
});

function kept(result, mtime) {
  if (statSync(result, { throwIfNoEntry: false })?.mtime.getTime() !== mtime.getTime()) return undefined;
  return readFileSync(result, "utf8");
}

/** Writes beside and renames, because other processes may read or write the same result. */
function keep(result, mtime, path, url) {
  const source = `${stripped(readFileSync(path, "utf8"))}\n\n//# sourceURL=${url}`;
  const written = `${result}.${process.pid}`;
  mkdirSync(dirname(result), { recursive: true });
  writeFileSync(written, source);
  utimesSync(written, mtime, mtime);
  renameSync(written, result);
  return source;
}

/** Without the warning that the function is experimental, which Node.js does not print when it calls it itself. */
function stripped(source) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return module.stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
