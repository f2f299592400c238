import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { csv } from "../judgments/csv.ts";
import { columnsOf, isAbout, type Judgment, nameOf } from "../judgments/judgments.ts";
import { readJudgmentsFile, textIn } from "../judgments/read.ts";
import { type JudgmentsTable, judgmentsIn, readCells } from "../judgments/table.ts";
import { JudgmentsError } from "../judgments/text.ts";
import { ConsoleError } from "./problem.ts";

/** A judgment of a file, as the page shows it. */
export interface JudgedRow {
  query: string;
  doc: string;
  grade: number;
  /** The index that it is about; empty if the file does not say. */
  index: string;
}

/** The columns of a new file. `relevance evaluate` reads the first four, and that people judged from `who`. */
const HEADER = ["query", "doc", "grade", "index", "who", "when"] as const;

/** Files that the console continues as CSV, beside those that are CSV already. */
const OTHERS = [".tsv", ".json", ".jsonl", ".ndjson", ".qrels"] as const;

/** A judgment as the page sends it; without a grade it is taken back. */
export const SentJudgment = v.strictObject({
  query: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(2_000)),
  doc: v.pipe(v.string(), v.nonEmpty(), v.maxLength(512)),
  index: v.optional(v.string(), ""),
  grade: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3))),
});
export type SentJudgment = v.InferOutput<typeof SentJudgment>;

/** The judgments files of a folder. */
export interface JudgmentFiles {
  /** Names without extension, sorted. */
  names(): string[];
  /** Returns the path of a file, which need not exist yet. Throws ConsoleError for a name that is none. */
  path(name: string): string;
  /** Returns the rows in the order of the file; none if there is no file yet. Throws ConsoleError for a file in error. */
  read(name: string): JudgedRow[];
  /**
   * Writes a judgment in place of an earlier one of the same query and document, and returns all rows. Keeps every other
   * column and row of the file. A file that is no CSV stays as it is and is continued in one.
   */
  judge(name: string, judgment: SentJudgment): JudgedRow[];
}

/** Returns the judgments files in a folder. `who` is written beside each grade. */
export function judgmentFiles(folder: string, who: string, now: () => Date = () => new Date()): JudgmentFiles {
  const named = (name: string, extension: string) => {
    if (/^[A-Za-z0-9][\w-]{0,63}$/.test(name)) return join(folder, `${name}${extension}`);
    throw new ConsoleError(
      400,
      "invalid_request",
      `${JSON.stringify(name)} is not a name: use letters, digits, _ and -`,
    );
  };
  const path = (name: string): string => {
    const files = [".csv", ...OTHERS].map((extension) => named(name, extension));
    return files.find((file) => existsSync(file)) ?? named(name, ".csv");
  };
  const rowsOf = (table: Table) => [...judgmentsIn(table)].map(shown);
  return {
    names: () => [...new Set([".csv", ...OTHERS].flatMap((extension) => namesIn(folder, extension)))].sort(),
    path,
    read: (name) => reading(path(name), rowsOf),
    judge: (name, judgment) =>
      reading(path(name), (table) => {
        const changed = withJudgment(table, judgment, { who, when: now().toISOString() });
        const cells = changed.rows.map((row) => row.cells);
        replace(named(name, ".csv"), csv(changed.header, cells, changed.delimiter));
        return rowsOf(changed);
      }),
  };
}

type Table = Pick<JudgmentsTable, "delimiter" | "header" | "columns" | "rows">;

const EMPTY: Table = { delimiter: ",", header: HEADER, columns: columnsOf(HEADER), rows: [] };

const shown = ({ query, document, grade, index = "" }: Judgment): JudgedRow => ({ query, doc: document, grade, index });

/** Runs work with the content of a judgments file as a table. Throws ConsoleError for what is wrong with the file. */
function reading<T>(file: string, work: (table: Table) => T): T {
  try {
    return work(existsSync(file) ? tableOf(file) : EMPTY);
  } catch (error) {
    if (!(error instanceof JudgmentsError)) throw error;
    const reason = error.message.startsWith(file) ? error.message : `${file}: ${error.message}`;
    throw new ConsoleError(409, "unreadable_judgments", reason, { cause: error });
  }
}

function tableOf(file: string): Table {
  if (file.endsWith(".csv")) return readCells(textIn(file));
  const header = ["query", "doc", "grade", "index", "origin", "who", "when"];
  const rows = readJudgmentsFile(file).rows.map(({ query, document, grade, index = "", origin = "" }, line) => ({
    cells: [query, document, String(grade), index, origin, "", ""],
    line,
  }));
  return { delimiter: ",", header, columns: columnsOf(header), rows };
}

/** Returns a table with a judgment, and the columns that it needs; one that is taken back is only left out. */
function withJudgment(table: Table, judgment: SentJudgment, by: { who: string; when: string }): Table {
  const { query, doc, grade, index } = judgment;
  const missing = (["index", "who", "when"] as const).filter((kind) => table.columns[kind] < 0);
  const header = [...table.header, ...missing.map(nameOf)];
  const columns = columnsOf(header);
  const values = { query, document: doc, grade: String(grade), index, origin: "people", ...by };
  const row = header.map((_, place) => {
    const [kind] = Object.entries(columns).find(([, column]) => column === place) ?? [];
    return kind === undefined ? "" : values[kind as keyof typeof values];
  });
  const isSame = (cells: readonly string[]) => {
    const cell = (kind: keyof typeof columns) => cells[columns[kind]]?.trim() ?? "";
    return cell("query") === query && cell("document") === doc && isAbout({ index: cell("index") }, index);
  };
  const kept = table.rows
    .filter(({ cells }) => !isSame(cells))
    .map(({ cells, line }) => ({ cells: header.map((_, place) => cells[place] ?? ""), line }));
  const rows = grade === null ? kept : [...kept, { cells: row, line: kept.length + 2 }];
  return { delimiter: table.delimiter, header, columns, rows };
}

/** Returns the names of a folder's files with an extension, without it, sorted; none if there is no folder. */
export function namesIn(folder: string, extension: string): string[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.flatMap((file) => (file.endsWith(extension) ? [file.slice(0, -extension.length)] : [])).sort();
}

/** Replaces a file by renaming, so that a reader never sees half of it. */
export function replace(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
