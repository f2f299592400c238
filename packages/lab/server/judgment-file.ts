import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { replaceFile } from "@relevance/lib/platform/replace-file.ts";
import { csv } from "../judgments/csv.ts";
import { columnsOf, isAbout, isSameVoice, nameOf, type Origin, raterIn } from "../judgments/judgments.ts";
import { readJudgmentsFile, textIn } from "../judgments/read.ts";
import { type JudgmentsTable, judgmentsIn, readCells } from "../judgments/table.ts";
import { JudgmentsError } from "../judgments/text.ts";
import { locked } from "./lock.ts";
import { ConsoleError } from "./problem.ts";

/** A judgment of a file, as the page shows it. */
export interface JudgedRow {
  query: string;
  doc: string;
  grade: number;
  /** The index that it is about; empty if the file does not say. */
  index: string;
  origin: Origin;
  /** Who or which model judged; empty if the file does not say. */
  who: string;
  /** The name of the person who judged, where several judge the same documents. */
  rater?: string | undefined;
  /** The name of the person who decided between raters. */
  adjudicated?: string | undefined;
}

/** A judgment to write; without a grade it is taken back. */
export interface NewJudgment extends Omit<JudgedRow, "grade"> {
  grade: number | null;
  origin: "people" | "model";
  when: string;
}

/** The columns of a new file. `relevance evaluate` reads the first four, and that people judged from `who`. */
const HEADER = ["query", "doc", "grade", "index", "who", "when"] as const;

/** The columns of a file that continues one which is no CSV. */
const CONTINUED = ["query", "doc", "grade", "index", "origin", "who", "when"] as const;

/** The columns that only files with judgments by name have. */
const NAMES = ["rater", "adjudicated"] as const;

/** The columns that a written judgment needs beside query, document and grade. */
const WRITTEN = ["index", "who", "when"] as const;

/** A row, and where its line is in the file, in bytes. Rows without a grade have no judgment. */
interface Line {
  cells: readonly string[];
  row: JudgedRow | undefined;
  at: number;
  size: number;
}

type Table = Pick<JudgmentsTable, "delimiter" | "header" | "columns">;

const EMPTY: Table = { delimiter: ",", header: HEADER, columns: columnsOf(HEADER) };

/**
 * A judgments file, and its rows in memory. A grade writes its own line alone: at the end, or over an earlier one of the
 * same length. Only what fits neither rewrites the file, such as a judgment that is taken back later. Other columns and
 * rows stay as they are. A file that is no CSV stays as it is and is continued in one.
 */
export class JudgmentFile {
  readonly #path: string;
  readonly #source: () => string;
  #table = EMPTY;
  #lines = new Set<Line>();
  #byKey = new Map<string, Line[]>();
  /** Bytes of the file as `csv` writes it; undefined if it is not there, or was written in another way. */
  #size: number | undefined;
  /** State of the file at the last read or write; an editor or git may have changed it since. */
  #seen: string | undefined;

  /**
   * @param path The CSV that is written.
   * @param source Returns the file that is read: another one while there is no CSV yet.
   */
  constructor(path: string, source: () => string) {
    this.#path = path;
    this.#source = source;
  }

  /** Returns the rows in the order of the file. Throws ConsoleError for what is wrong with the file. */
  rows(): JudgedRow[] {
    this.#load();
    return Array.from(this.#lines).flatMap(({ row }) => row ?? []);
  }

  /**
   * Writes a judgment in place of earlier ones of the same query, document and index by the same rater; people and a
   * language model, raters, and who decides between them do not replace each other's. Throws as `rows` does, and if
   * another console does not stop writing the file.
   */
  put(judgment: NewJudgment): JudgedRow | null {
    return locked(this.#path, () => this.#write(judgment));
  }

  #write(judgment: NewJudgment): JudgedRow | null {
    this.#load();
    const { query, doc, grade, index, origin, who } = judgment;
    const names = raterIn(judgment.rater, judgment.adjudicated);
    const hasNewColumns = this.#addColumns([
      ...WRITTEN,
      ...(origin === "model" ? (["origin"] as const) : []),
      ...NAMES.filter((kind) => names[kind] !== undefined),
    ]);
    const same = (this.#byKey.get(keyOf(query, doc)) ?? []).filter(
      ({ cells, row }) =>
        isAbout({ index: cells[this.#table.columns.index]?.trim() }, index) &&
        (row ? isSameVoice(row, { origin, ...names }) : origin !== "model"),
    );
    const row = grade === null ? null : { query, doc, grade, index, origin, who, ...names };
    const cells = row ? this.#cellsOf(judgment) : [];
    const bytes = Buffer.from(row ? this.#textOf(cells) : "");
    const [earlier, ...more] = same;
    const end = this.#size;
    const at = earlier?.at ?? end ?? 0;
    const isLast = earlier === undefined || at + earlier.size === end;
    const fits = !hasNewColumns && more.length === 0 && (isLast || earlier.size === bytes.length);
    for (const line of row ? more : same) this.#remove(line, query, doc);
    if (row && earlier) Object.assign(earlier, { cells, row, at, size: bytes.length });
    else if (row) this.#add({ cells, row, at, size: bytes.length }, query, doc);
    if (end !== undefined && fits) {
      const file = openSync(this.#path, "r+");
      writeSync(file, bytes, 0, bytes.length, at);
      if (isLast) ftruncateSync(file, at + bytes.length);
      closeSync(file);
      this.#size = isLast ? at + bytes.length : end;
    } else {
      const text = this.#layOut();
      replaceFile(this.#path, text);
      this.#size = Buffer.byteLength(text);
    }
    this.#seen = stateOf(this.#path);
    return row;
  }

  #load(): void {
    const source = this.#source();
    const state = stateOf(source);
    if (state === this.#seen) return;
    this.#table = EMPTY;
    this.#lines = new Set();
    this.#byKey = new Map();
    this.#seen = undefined;
    if (state !== undefined) reading(source, () => this.#read(source));
    const isAsWritten =
      state !== undefined && source === this.#path && Buffer.from(this.#layOut()).equals(readFileSync(source));
    this.#size = isAsWritten ? statSync(source).size : undefined;
    this.#seen = state;
  }

  #read(source: string): void {
    const table = source.endsWith(".csv") ? readCells(textIn(source)) : continuedFrom(source);
    this.#table = table;
    for (const row of table.rows) {
      const [judgment] = judgmentsIn({ ...table, rows: [row] });
      const cell = (column: number) => row.cells[column]?.trim() ?? "";
      const [query, doc] = [cell(table.columns.query), cell(table.columns.document)];
      const judged = judgment && {
        ...{ query, doc, grade: judgment.grade, index: judgment.index ?? "" },
        ...{ origin: judgment.origin ?? "import", who: cell(table.columns.who) },
        ...raterIn(judgment.rater, judgment.adjudicated),
      };
      this.#add({ cells: row.cells, row: judged, at: 0, size: 0 }, query, doc);
    }
  }

  #add(line: Line, query: string, doc: string): void {
    const key = keyOf(query, doc);
    this.#lines.add(line);
    this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), line]);
  }

  #remove(line: Line, query: string, doc: string): void {
    const key = keyOf(query, doc);
    this.#lines.delete(line);
    this.#byKey.set(
      key,
      (this.#byKey.get(key) ?? []).filter((other) => other !== line),
    );
  }

  /** Adds the columns that a written judgment needs. Returns whether any was missing. */
  #addColumns(written: readonly (keyof Table["columns"])[]): boolean {
    const missing = written.filter((kind) => this.#table.columns[kind] < 0);
    if (missing.length === 0) return false;
    const header = [...this.#table.header, ...missing.map(nameOf)];
    this.#table = { delimiter: this.#table.delimiter, header, columns: columnsOf(header) };
    return true;
  }

  #cellsOf({ doc, grade, rater = "", adjudicated = "", ...cells }: NewJudgment): string[] {
    const values = { ...cells, document: doc, grade: String(grade), rater, adjudicated };
    return this.#table.header.map((_, place) => {
      const [kind] = Object.entries(this.#table.columns).find(([, column]) => column === place) ?? [];
      return kind === undefined ? "" : values[kind as keyof typeof values];
    });
  }

  /** Returns the line of a row. Rows may have more or fewer cells than the header. */
  #textOf(cells: readonly string[]): string {
    const { header, delimiter } = this.#table;
    const row = cells.length < header.length ? header.map((_, place) => cells[place] ?? "") : cells;
    return csv(row, [], delimiter);
  }

  /** Returns the file's text, and notes where in it each line is. */
  #layOut(): string {
    const texts = [csv(this.#table.header, [], this.#table.delimiter)];
    let at = Buffer.byteLength(texts[0] ?? "");
    for (const line of this.#lines) {
      const text = this.#textOf(line.cells);
      line.at = at;
      line.size = Buffer.byteLength(text);
      at += line.size;
      texts.push(text);
    }
    return texts.join("");
  }
}

const keyOf = (query: string, doc: string): string => JSON.stringify([query, doc]);

/** Returns what changes whenever a file does; undefined if there is none. */
function stateOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  return [path, ino, size, mtimeNs].join();
}

/** Reads a judgments file of another form as the table that continues it. */
function continuedFrom(file: string): JudgmentsTable {
  const judgments = readJudgmentsFile(file).rows;
  const names = NAMES.filter((kind) => judgments.some((judgment) => judgment[kind] !== undefined));
  const header = [...CONTINUED, ...names];
  const rows = judgments.map(({ query, document, grade, index = "", origin = "", ...named }, line) => ({
    cells: [query, document, String(grade), index, origin, "", "", ...names.map((kind) => named[kind] ?? "")],
    line,
  }));
  return { delimiter: ",", header, columns: columnsOf(header), rows };
}

/** Throws ConsoleError for what is wrong with a file. */
function reading(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof JudgmentsError)) throw error;
    const reason = error.message.startsWith(file) ? error.message : `${file}: ${error.message}`;
    throw new ConsoleError(409, "unreadable_judgments", reason, { cause: error });
  }
}
