import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Configuration } from "./configuration.ts";
import type { FileFormat } from "./etl.ts";
import type { HybridSearch } from "./hybrid-search.ts";
import type { Models } from "./model.ts";
import { HYBRID_SEARCH, readConfiguration, readFileFormat, readHybridSearch } from "./parse.ts";
import { ConfigurationError } from "./problem.ts";

/**
 * Reads and checks a configuration folder. Throws ConfigurationError with every problem of every file. `change` replaces
 * the text of a file before it is read.
 */
export function loadConfiguration(
  directory: string,
  change: (name: string, text: string) => string = (_name, text) => text,
): Configuration {
  const read = (name: string) => {
    const text = readText(join(directory, name));
    return text === undefined ? undefined : change(name, text);
  };
  return readConfiguration(read, directory, filesOf(directory));
}

/**
 * Reads and checks hybrid_search.yaml and, if it exists, model.yaml, for tasks that need no deployable project. Throws
 * ConfigurationError.
 */
export function loadHybridSearch(directory: string): HybridSearch & { models: Models } {
  return readHybridSearch((name) => readText(join(directory, name)), directory, filesOf(directory));
}

/** Checks a text as {@link loadHybridSearch} would in place of a folder's hybrid_search.yaml. Throws ConfigurationError. */
export function checkHybridSearchText(directory: string, text: string): void {
  const read = (name: string) => (name === HYBRID_SEARCH ? text : readText(join(directory, name)));
  readHybridSearch(read, directory, filesOf(directory));
}

/** Reads how sample files are read. Plain if etl/configure.json does not say, or is absent. Throws ConfigurationError. */
export function loadFileFormat(directory: string): FileFormat {
  return readFileFormat((name) => readText(join(directory, name)), directory);
}

function filesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    const reason = codeOf(error) === "ENOENT" ? "does not exist" : `cannot be read: ${(error as Error).message}`;
    const advice = "give the configuration folder with --conf DIR";
    throw new ConfigurationError([{ file: directory, line: undefined, path: "", message: `${reason}: ${advice}` }]);
  }
}

function readText(path: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (codeOf(error) === "EISDIR") throw new Error("it is a folder");
    if (codeOf(error) === "ERR_ENCODING_INVALID_ENCODED_DATA") throw new Error("it is not UTF-8 text");
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code;
}
