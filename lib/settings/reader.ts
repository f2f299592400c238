import type * as v from "valibot";
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLError } from "yaml";
import { ContentChecker } from "./content-checker.ts";
import { joinWords } from "./kinds.ts";
import { nearest } from "./nearest.ts";
import { formatPath, type Path, type Problem } from "./problem.ts";
import { entriesOf } from "./shape.ts";
import { type Validated, validate } from "./validate.ts";

/**
 * Returns the text of a file in the configuration folder; undefined if it does not exist. Throws if it is unreadable.
 */
export type ReadText = (name: string) => string | undefined;

/** The steps from a text to its checked value. Results depend on nothing else, so a caller may keep those of a text. */
export interface Parsing {
  readSource: typeof readSource;
  validate: typeof validate;
}

/** Reads files and collects their problems. */
export class Reader {
  readonly texts: Record<string, string> = {};
  readonly #problems: Problem[] = [];
  readonly #sources = new Map<string, Source>();
  readonly #read: ReadText;
  readonly #directory: string;
  readonly #names: readonly string[];
  readonly #parsing: Parsing;

  /**
   * `names` are the existing files, to suggest one instead of a missing file. `parsing` may keep results, where nearly the
   * same files are read again and again.
   */
  constructor(
    read: ReadText,
    directory: string,
    names: readonly string[],
    parsing: Parsing = { readSource, validate },
  ) {
    this.#read = read;
    this.#directory = directory.replace(/(?<!\/)\/+$/, "");
    this.#names = names;
    this.#parsing = parsing;
  }

  /**
   * Reads a file; undefined if it is absent or cannot be parsed. An empty file has the value `emptyMeans`. Without one,
   * it counts as absent if it may be empty, else as a problem.
   */
  read<Schema extends v.GenericSchema>(
    name: string,
    schema: Schema,
    { emptyMeans, mayBeEmpty = false }: { emptyMeans?: unknown; mayBeEmpty?: boolean } = {},
  ): Validated<v.InferOutput<Schema>> | undefined {
    const text = this.readText(name);
    if (text === undefined) return undefined;
    const source = this.#parsing.readSource(text, name.endsWith(".json") ? "json" : "yaml");
    this.#sources.set(name, source);
    for (const { line, message } of source.syntax) this.#add(name, line, "", message);
    if (source.value === undefined) return undefined;

    const value = source.value ?? emptyMeans;
    if (value === undefined) {
      const keys = Object.keys(entriesOf(schema, {}) ?? {});
      if (!mayBeEmpty) this.#add(name, 1, "", `is empty: its keys are ${joinWords(keys, "and")}`);
      return undefined;
    }
    const validated = this.#parsing.validate(schema, value);
    for (const { path, message } of validated.findings) this.report(name, path, message);
    return validated;
  }

  /** Reads the text of a file; undefined if it is absent or cannot be read. */
  readText(name: string): string | undefined {
    const text = this.#text(name);
    if (text !== undefined) this.texts[name] = text;
    return text;
  }

  /** Adds a problem for a line of a file that is neither YAML nor JSON. */
  reportLine(name: string, line: number, message: string): void {
    this.#add(name, line, "", message);
  }

  /** Returns whether the file exists, even if it cannot be read. */
  has(name: string): boolean {
    try {
      return this.#read(name) !== undefined;
    } catch {
      return true;
    }
  }

  /** Adds a problem for a missing file. */
  reportAbsent(name: string, why: string): void {
    const close = nearest(
      name,
      this.#names.filter((other) => other !== name),
    );
    this.#add(name, undefined, "", `is missing: ${why}${close ? ` (is ${close} it, misnamed?)` : ""}`);
  }

  /** Adds a problem for a value, or for the place where it should be. */
  report(name: string, path: Path, message: string): void {
    this.#add(name, this.#sources.get(name)?.lineOf(path) ?? 1, formatPath(path), message);
  }

  /** Returns all problems so far, in the order in which the files were read, then by line. */
  problems(): Problem[] {
    const order = new Map([...new Set(this.#problems.map(({ file }) => file))].map((file, index) => [file, index]));
    return this.#problems.toSorted(
      (a, b) => (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || (a.line ?? 0) - (b.line ?? 0),
    );
  }

  #text(name: string): string | undefined {
    try {
      return this.#read(name);
    } catch (error) {
      this.#add(name, undefined, "", `cannot be read: ${(error as Error).message}`);
      return undefined;
    }
  }

  #add(name: string, line: number | undefined, path: string, message: string): void {
    this.#problems.push({ file: this.#directory === "" ? name : `${this.#directory}/${name}`, line, path, message });
  }
}

/** A syntax error. */
interface SyntaxProblem {
  line: number;
  message: string;
}

/** The value of a file, with the lines of its parts. */
export interface Source {
  /** Undefined if the syntax errors leave nothing to check; null if the file is empty. */
  value: unknown;
  syntax: readonly SyntaxProblem[];
  /** Returns the line of the key or list entry at a path, or of its nearest existing parent. */
  lineOf(path: Path): number;
}

/** The largest file that is read, in characters: some 5,000 indices in hybrid_search.yaml, far beyond any real one. */
const MAX_CHARACTERS = 1_000_000;

/**
 * A line that opens over 50 levels of lists or keys, for which the parser takes time and memory that grow faster than the
 * line: seconds for 10,000 levels.
 */
const DEEP_LINE = /^ *(?:[-?:] +){51}/m;

/** Reads the text of a YAML or JSON file. */
export function readSource(text: string, format: "yaml" | "json"): Source {
  const unreadable = (line: number, message: string) => ({
    value: undefined,
    syntax: [{ line, message }],
    lineOf: () => line,
  });
  if (text.length > MAX_CHARACTERS) {
    const message = `has ${text.length} characters, more than the ${MAX_CHARACTERS} allowed: is it the right file?`;
    return unreadable(1, message);
  }
  const deep = DEEP_LINE.exec(text);
  if (deep) return unreadable(text.slice(0, deep.index).split("\n").length, "opens too many levels in one line");
  const lines = new LineCounter();
  const lineAt = (offset: number) => lines.linePos(offset).line;
  // Parses JSON as YAML too, for the positions. `uniqueKeys` would compare every key with every other; the checker
  // finds repeated keys in linear time.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: "1.2", uniqueKeys: false });
  const checker = new ContentChecker(lineAt);
  const lineOf = (path: Path) => lineAt(offsetOf(document.contents, path, checker));
  const notJson = format === "json" ? jsonProblem(text, lineAt) : undefined;
  const parsing = notJson ? [notJson] : yamlProblems([...document.errors, ...document.warnings], lineAt);
  if (notJson || document.errors.length > 0) return { value: undefined, syntax: parsing, lineOf };

  checker.check(document.contents);
  const syntax = [...parsing, ...checker.problems];
  if (checker.unusable) return { value: undefined, syntax, lineOf };
  // No limit for aliases here: the checker has already counted the values that they expand to.
  return { value: document.toJS({ maxAliasCount: -1 }), syntax, lineOf };
}

function yamlProblems(errors: readonly YAMLError[], lineAt: (offset: number) => number): SyntaxProblem[] {
  const exhausted = errors.find(({ code }) => code === "RESOURCE_EXHAUSTION");
  // The parser gave up there: its other errors only follow from that.
  if (exhausted)
    return [{ line: lineAt(exhausted.pos[0]), message: "is nested too deeply: remove the extra brackets" }];
  return errors.map((error) => ({ line: lineAt(error.pos[0]), message: explain(error) }));
}

/** Returns the error of text that is not JSON, even if it is valid YAML. */
function jsonProblem(text: string, lineAt: (offset: number) => number): SyntaxProblem | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const reason = (error as Error).message;
    const position = /at position (\d+)/.exec(reason)?.[1];
    const message = `is not JSON: ${reason.replace(/ in JSON at position.*/, "").replace(/ \(line.*/, "")}`;
    return { line: position === undefined ? text.split("\n").length : lineAt(Number(position)), message };
  }
}

function explain({ code, message }: YAMLError): string {
  if (code === "TAB_AS_INDENT") return "is indented with a tab: YAML needs spaces";
  if (code === "MULTIPLE_DOCS") return "holds several documents: remove the line ---";
  return `is not valid YAML: ${message.split("\n")[0]}`;
}

function offsetOf(contents: unknown, path: Path, checker: ContentChecker): number {
  let node = contents;
  let offset = startOf(node) ?? 0;
  for (const step of path) {
    node = checker.resolve(node);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
      if (!pair) return offset;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === "number" && node.items.length > step) {
      node = node.items[step];
      offset = startOf(node) ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}
