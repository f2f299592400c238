import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { installNpm } from "../npm-folder.ts";

/** One small change of a file: the text from `start` to `end` becomes `replacement`. */
export interface Mutant {
  /** Relative to the repository's root. */
  file: string;
  /** The kind of change, as Stryker names it. */
  kind: string;
  line: number;
  start: number;
  end: number;
  original: string;
  replacement: string;
}

interface Position {
  /** Both from 0. */
  line: number;
  column: number;
}

/** What is used of Stryker's instrumenter. */
interface Instrumenter {
  instrument(
    files: ReadonlyArray<{ name: string; mutate: boolean; content: string }>,
    options: { plugins: null; excludedMutations: string[]; ignorers: [] },
  ): Promise<{
    mutants: Array<{
      fileName: string;
      mutatorName: string;
      replacement: string;
      location: { start: Position; end: Position };
    }>;
  }>;
}

const silent = { isDebugEnabled: () => false, debug() {}, info() {}, warn() {}, error() {} };

/**
 * Returns all changes that Stryker knows for these files. Only its mutators are used: its runner knows no nearest tests
 * of a runner like ours, so each of some thousand mutants would run all of them.
 */
export async function candidates(root: string, files: readonly string[]): Promise<Mutant[]> {
  const home = installNpm(import.meta.dirname, "mutants");
  const entry = join(home, "node_modules/@stryker-mutator/instrumenter/dist/src/index.js");
  const { Instrumenter: Stryker } = (await import(pathToFileURL(entry).href)) as {
    Instrumenter: new (logger: typeof silent) => Instrumenter;
  };
  const instrumenter = new Stryker(silent);
  const found: Mutant[] = [];
  for (const file of files) {
    const content = readFileSync(join(root, file), "utf8");
    const starts = [0, ...[...content.matchAll(/\n/g)].map(({ index }) => index + 1)];
    const offset = ({ line, column }: Position) => (starts[line] ?? 0) + column;
    const { mutants } = await instrumenter.instrument([{ name: file, mutate: true, content }], {
      plugins: null,
      excludedMutations: [],
      ignorers: [],
    });
    for (const { mutatorName: kind, replacement, location } of mutants) {
      const [start, end] = [offset(location.start), offset(location.end)];
      const original = content.slice(start, end);
      found.push({ file, kind, line: location.start.line + 1, start, end, original, replacement });
    }
  }
  return found;
}
