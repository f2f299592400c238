import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { csv, textOf } from "../judgments/csv.ts";
import { ConsoleError } from "./problem.ts";
import { replace } from "./replace.ts";

/** One row of a judgments file that the console writes. `relevance evaluate` reads the first three columns. */
export interface JudgedRow {
  query: string;
  doc: string;
  grade: number;
  who: string;
  when: string;
}

const HEADER = ["query", "doc", "grade", "who", "when"] as const;
const HEADER_LINE = csv(HEADER, []);

/** A row, and where its line is in the file, in bytes. */
interface Line {
  row: JudgedRow;
  at: number;
  size: number;
}

/**
 * A judgments file, and its rows in memory. A grade writes its own line alone: at the end, or over an earlier one of the
 * same length. Only what fits neither rewrites the file, such as a judgment that is taken back later.
 */
export class JudgmentFile {
  readonly #path: string;
  #lines = new Map<string, Line>();
  /** Bytes of the file as `csv` writes it; undefined if it is not there, or was written in another way. */
  #size: number | undefined;
  /** What the file was when it was last read or written: an editor or git may have changed it since. */
  #seen: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the rows in the order of the file. Throws ConsoleError for a file of another form. */
  rows(): JudgedRow[] {
    this.#load();
    return Array.from(this.#lines.values(), ({ row }) => row);
  }

  /** Writes a row in place of an earlier one of the same query and document; null removes that. Throws as `rows` does. */
  put(query: string, doc: string, row: JudgedRow | null): void {
    this.#load();
    const key = keyOf(query, doc);
    const earlier = this.#lines.get(key);
    const line = Buffer.from(row ? lineOf(row) : "");
    const end = this.#size;
    const at = earlier?.at ?? end ?? 0;
    const isLast = earlier === undefined || at + earlier.size === end;
    if (row) this.#lines.set(key, { row, at, size: line.length });
    else this.#lines.delete(key);
    if (end !== undefined && (isLast || earlier.size === line.length)) {
      const file = openSync(this.#path, "r+");
      writeSync(file, line, 0, line.length, at);
      if (isLast) ftruncateSync(file, at + line.length);
      closeSync(file);
      this.#size = isLast ? at + line.length : end;
    } else {
      this.#write();
    }
    this.#seen = stateOf(this.#path);
  }

  #load(): void {
    const state = stateOf(this.#path);
    if (state === this.#seen) return;
    const text = state === undefined ? undefined : readFileSync(this.#path, "utf8");
    this.#lines = new Map();
    for (const row of text === undefined ? [] : rowsOf(this.#path, text)) {
      this.#lines.set(keyOf(row.query, row.doc), { row, at: 0, size: 0 });
    }
    this.#size = text !== undefined && this.#layOut() === text ? Buffer.byteLength(text) : undefined;
    this.#seen = state;
  }

  #write(): void {
    const text = this.#layOut();
    replace(this.#path, text);
    this.#size = Buffer.byteLength(text);
  }

  /** Returns the file's text, and notes where in it each line is. */
  #layOut(): string {
    const texts = [HEADER_LINE];
    let at = HEADER_LINE.length;
    for (const line of this.#lines.values()) {
      const text = lineOf(line.row);
      line.at = at;
      line.size = Buffer.byteLength(text);
      at += line.size;
      texts.push(text);
    }
    return texts.join("");
  }
}

const keyOf = (query: string, doc: string): string => JSON.stringify([query, doc]);

const lineOf = (row: JudgedRow): string => csv(HEADER, [HEADER.map((name) => row[name])]).slice(HEADER_LINE.length);

/** Returns what changes whenever a file does; undefined if there is none. */
function stateOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  return [ino, size, mtimeNs].join();
}

function rowsOf(file: string, text: string): JudgedRow[] {
  const [header = [], ...rows] = parse(text, { bom: true, skip_empty_lines: true }) as string[][];
  if (header.join() !== HEADER.join()) {
    throw new ConsoleError(
      409,
      "other_columns",
      `${file} has the columns ${header.join(",")}, and the console writes ${HEADER.join(",")}: choose another name`,
    );
  }
  return rows
    .map((cells) => cells.map(textOf))
    .map(([query = "", doc = "", grade = "", who = "", when = ""]) => ({
      query,
      doc,
      grade: Number(grade),
      who,
      when,
    }));
}
