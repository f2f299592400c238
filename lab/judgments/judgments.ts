import { parse } from "csv-parse/sync";
import { csv, textOf } from "./csv.ts";

/** Grades by document, by query. A query is its text, or the id of a topic in TREC files. */
export type Judgments = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** One row of a judgments file. */
export interface Judgment {
  query: string;
  document: string;
  grade: number;
}

/** The content of a judgments or queries file is wrong. The message names the line. */
export class JudgmentsError extends Error {}

/** Groups judgments by query. Of several for one query and document the last counts. */
export function judgmentsOf(rows: Iterable<Judgment>): Map<string, Map<string, number>> {
  const judgments = new Map<string, Map<string, number>>();
  for (const { query, document, grade } of rows) {
    const grades = judgments.get(query) ?? new Map<string, number>();
    grades.set(document, grade);
    judgments.set(query, grades);
  }
  return judgments;
}

/** Reads a grade: a number, which may be negative or fractional. Throws JudgmentsError. */
export function gradeOf(value: unknown, line: number): number {
  const grade = typeof value === "number" ? value : Number(String(value).trim() || Number.NaN);
  if (Number.isFinite(grade)) return grade;
  throw new JudgmentsError(`line ${line}: the grade ${JSON.stringify(value)} is not a number`);
}

/**
 * Headers of each column in lower case without blanks and underscores. Quepid exports `query,docid,rating` ("basic") and
 * `Query Text, Doc ID, Rating` among others ("general").
 */
const COLUMNS = {
  query: ["query", "querytext", "userquery"],
  document: ["doc", "docid", "document", "documentid"],
  grade: ["grade", "rating", "judgment", "judgement"],
} as const;

interface Row {
  record: string[];
  info: { lines: number };
}

/**
 * Reads CSV with a header that has a column each for query, document and grade, such as `query,doc,grade` or an export
 * of Quepid. Skips rows without a grade, which Quepid writes for documents that nobody has judged. Throws JudgmentsError.
 */
export function* readTable(text: string): Generator<Judgment> {
  const [header, ...rows] = parseCsv(text);
  if (!header) throw new JudgmentsError("the file is empty: it needs the header query,doc,grade");
  const columns = header.record.map((name) => name.toLowerCase().replaceAll(/[\s_]/g, ""));
  const column = (kind: keyof typeof COLUMNS) => {
    const found = columns.findIndex((name) => (COLUMNS[kind] as readonly string[]).includes(name));
    if (found >= 0) return found;
    throw new JudgmentsError(
      `line 1: no column for the ${kind}: name it ${COLUMNS[kind][0]}; the header is ${header.record.join(",")}`,
    );
  };
  const [query, document, grade] = [column("query"), column("document"), column("grade")];
  for (const { record, info } of rows) {
    const cell = (index: number) => record[index]?.trim() ?? "";
    if (cell(grade) === "") continue;
    if (cell(query) === "" || cell(document) === "") {
      throw new JudgmentsError(`line ${info.lines}: query and document must not be empty`);
    }
    yield { query: textOf(cell(query)), document: textOf(cell(document)), grade: gradeOf(cell(grade), info.lines) };
  }
}

function parseCsv(text: string): Row[] {
  try {
    const options = { bom: true, info: true, relax_column_count_more: true, skip_empty_lines: true };
    // The types of csv-parse do not know what `info` returns.
    return parse(text, options) as unknown as Row[];
  } catch (error) {
    throw new JudgmentsError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Writes judgments as CSV `query,doc,grade` with a header. */
export const writeTable = (rows: Iterable<Judgment>): string =>
  csv(
    ["query", "doc", "grade"],
    Array.from(rows, ({ query, document, grade }) => [query, document, grade]),
  );
