import type * as v from "valibot";
import { joinWords } from "./kinds.ts";
import { nearest } from "./nearest.ts";
import { formatPath, type Path, type Problem } from "./problem.ts";
import { entriesOf } from "./shape.ts";
import { readSource, type Source } from "./source.ts";
import { type Validated, validate } from "./validate.ts";

/**
 * Returns the text of a file in the configuration folder; undefined if it does not exist. Throws if it is unreadable.
 */
export type ReadText = (name: string) => string | undefined;

/** Reads files and collects their problems. */
export class Reader {
  readonly texts: Record<string, string> = {};
  readonly #problems: Problem[] = [];
  readonly #sources = new Map<string, Source>();
  readonly #read: ReadText;
  readonly #directory: string;
  readonly #names: readonly string[];

  /** `names` are the existing files, to suggest one instead of a missing file. */
  constructor(read: ReadText, directory: string, names: readonly string[]) {
    this.#read = read;
    this.#directory = directory.replace(/(?<!\/)\/+$/, "");
    this.#names = names;
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
    const text = this.#text(name);
    if (text === undefined) return undefined;
    this.texts[name] = text;
    const source = readSource(text, name.endsWith(".json") ? "json" : "yaml");
    this.#sources.set(name, source);
    for (const { line, message } of source.syntax) this.#add(name, line, "", message);
    if (source.value === undefined) return undefined;

    const value = source.value ?? emptyMeans;
    if (value === undefined) {
      const keys = Object.keys(entriesOf(schema, {}) ?? {});
      if (!mayBeEmpty) this.#add(name, 1, "", `is empty: its keys are ${joinWords(keys, "and")}`);
      return undefined;
    }
    const validated = validate(schema, value);
    for (const { path, message } of validated.findings) this.report(name, path, message);
    return validated;
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
