import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLError,
} from "yaml";
import type { Path } from "./problem.ts";

/** A mistake of syntax. */
export interface SyntaxProblem {
  line: number;
  message: string;
}

/** A file's text as a value, with the lines of its parts. */
export interface Source {
  /** Undefined when the syntax is too broken to go on; null when the file holds nothing. */
  value: unknown;
  syntax: readonly SyntaxProblem[];
  /** Line of the key or list entry at a path; of the nearest one above it when there is none. */
  lineOf(path: Path): number;
}

/** Reads the text of a YAML file, or of a JSON file. */
export function readSource(text: string, format: "yaml" | "json"): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: "1.2" });
  const lineOf = (path: Path) => lines.linePos(offsetOf(document, path)).line;
  const syntax = format === "json" ? jsonProblems(text, document, lines) : yamlProblems(document, lines);
  const fatal =
    document.errors.some(({ code }) => code !== "DUPLICATE_KEY") || (format === "json" && syntax.length > 0);
  if (fatal) return { value: undefined, syntax, lineOf };
  return { value: document.toJS(), syntax, lineOf };
}

function yamlProblems(document: Document, lines: LineCounter): SyntaxProblem[] {
  return [...document.errors, ...document.warnings].map((error) => ({
    line: lines.linePos(error.pos[0]).line,
    message: explain(error, document, lines),
  }));
}

/** JSON is read by the YAML parser for its positions; what JSON itself refuses is refused here. */
function jsonProblems(text: string, document: Document, lines: LineCounter): SyntaxProblem[] {
  try {
    JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const position = /at position (\d+)/.exec(reason)?.[1];
    const message = `is not JSON: ${reason.replace(/ in JSON at position.*/, "").replace(/ \(line.*/, "")}`;
    const line = position === undefined ? text.split("\n").length : lines.linePos(Number(position)).line;
    return [{ line, message }];
  }
  return document.errors
    .filter(({ code }) => code === "DUPLICATE_KEY")
    .map((error) => ({ line: lines.linePos(error.pos[0]).line, message: explain(error, document, lines) }));
}

function explain(error: YAMLError, document: Document, lines: LineCounter): string {
  if (error.code === "TAB_AS_INDENT") return "is indented with a tab: YAML needs spaces";
  if (error.code === "DUPLICATE_KEY") {
    const { key, first } = duplicate(document, error.pos[0]);
    const where = first === undefined ? "" : `, first in line ${lines.linePos(first).line}`;
    return `the key ${JSON.stringify(key)} is there twice${where}: remove one`;
  }
  if (error.code === "MULTIPLE_DOCS") return "holds several documents: remove the line ---";
  return `is not valid YAML: ${error.message.split("\n")[0]}`;
}

/** The key at an offset, and the offset of the same key before it. */
function duplicate(document: Document, offset: number): { key: string; first: number | undefined } {
  for (const map of mapsIn(document.contents)) {
    const position = map.findIndex(({ key }) => startOf(key) === offset);
    if (position < 0) continue;
    const key = String(map[position]?.key);
    return { key, first: startOf(map.find((pair) => String(pair.key) === key)?.key) };
  }
  return { key: "?", first: undefined };
}

function* mapsIn(node: unknown): Generator<Pair[]> {
  if (isMap(node)) {
    yield node.items;
    for (const { value } of node.items) yield* mapsIn(value);
  } else if (isSeq(node)) {
    for (const item of node.items) yield* mapsIn(item);
  }
}

function offsetOf(document: Document, path: Path): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const step of path) {
    const container = isAlias(node) ? node.resolve(document) : node;
    if (isMap(container)) {
      const pair = container.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
      if (!pair) return offset;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(container) && typeof step === "number" && container.items.length > step) {
      node = container.items[step];
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
