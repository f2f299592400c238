import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "csv-parse/sync";
import * as v from "valibot";
import { csv, textOf } from "../judgments/csv.ts";
import { ConsoleError } from "./problem.ts";

/** One row of a judgments file that the console writes. `relevance evaluate` reads the first three columns. */
export interface JudgedRow {
  query: string;
  doc: string;
  grade: number;
  who: string;
  when: string;
}

const HEADER = ["query", "doc", "grade", "who", "when"] as const;

/** A judgment as the page sends it; without a grade it is taken back. */
export const SentJudgment = v.strictObject({
  query: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(2_000)),
  doc: v.pipe(v.string(), v.nonEmpty(), v.maxLength(512)),
  grade: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3))),
});
export type SentJudgment = v.InferOutput<typeof SentJudgment>;

/** The judgments files of a folder. */
export interface JudgmentFiles {
  /** Names without extension, sorted. */
  names(): string[];
  /** Returns the path of a file. Throws ConsoleError for a name that is none. */
  path(name: string): string;
  /**
   * Returns the rows in the order of the file; none if there is no file yet. Throws ConsoleError for a file of another
   * form.
   */
  read(name: string): JudgedRow[];
  /** Writes a judgment in place of an earlier one of the same query and document, and returns all rows. */
  judge(name: string, judgment: SentJudgment): JudgedRow[];
}

/** Returns the judgments files in a folder, `<name>.csv` each. `who` is written beside each grade. */
export function judgmentFiles(folder: string, who: string, now: () => Date = () => new Date()): JudgmentFiles {
  const path = (name: string) => {
    if (/^[A-Za-z0-9][\w-]{0,63}$/.test(name)) return join(folder, `${name}.csv`);
    throw new ConsoleError(
      400,
      "invalid_request",
      `${JSON.stringify(name)} is not a name: use letters, digits, _ and -`,
    );
  };
  const read = (name: string): JudgedRow[] => {
    const file = path(name);
    return existsSync(file) ? rowsOf(file) : [];
  };
  return {
    names: () => namesIn(folder, ".csv"),
    path,
    read,
    judge(name, { query, doc, grade }) {
      const rows = read(name).filter((row) => row.query !== query || row.doc !== doc);
      if (grade !== null) rows.push({ query, doc, grade, who, when: now().toISOString() });
      const cells = rows.map((row) => HEADER.map((column) => row[column]));
      replace(path(name), csv(HEADER, cells));
      return rows;
    },
  };
}

function rowsOf(file: string): JudgedRow[] {
  const [header = [], ...rows] = parse(readFileSync(file, "utf8"), { bom: true, skip_empty_lines: true }) as string[][];
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
