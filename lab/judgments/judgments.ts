import { csv } from "./csv.ts";
import { JudgmentsError } from "./text.ts";

/** Grades by document, by query. A query is its text, or the id of a topic in TREC files. */
export type Judgments = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Who or what judged; `model` is a language model. `import` stands for files that do not say. */
export const ORIGINS = ["people", "clicks", "model", "import"] as const;
export type Origin = (typeof ORIGINS)[number];

/** One row of a judgments file. */
export interface Judgment {
  query: string;
  document: string;
  grade: number;
  /** The index that has the document; undefined in files that do not say. */
  index?: string | undefined;
  origin?: Origin | undefined;
}

/**
 * Groups judgments by query. Of several for one query and document the last counts, but a language model's only where
 * there is no other.
 */
export function judgmentsOf(rows: Iterable<Judgment>): Map<string, Map<string, number>> {
  const judgments = new Map<string, Map<string, number>>();
  const all = [...rows];
  const isModel = ({ origin }: Judgment) => origin === "model";
  for (const { query, document, grade } of [...all.filter(isModel), ...all.filter((row) => !isModel(row))]) {
    const grades = judgments.get(query) ?? new Map<string, number>();
    grades.set(document, grade);
    judgments.set(query, grades);
  }
  return judgments;
}

/** Returns whether a judgment is about an index: those without an index are about every one. */
export const isAbout = (row: { index?: string | undefined }, index: string): boolean =>
  row.index === undefined || row.index === "" || row.index === index;

/** Reads a grade: a number, which may be negative or fractional. Throws JudgmentsError. */
export function gradeOf(value: unknown, line: number): number {
  const grade = typeof value === "number" ? value : Number(String(value).trim() || Number.NaN);
  if (Number.isFinite(grade)) return grade;
  throw new JudgmentsError(`line ${line}: the grade ${JSON.stringify(value)} is not a number`);
}

/**
 * Names of each column or JSON member in lower case without blanks and underscores. Quepid exports `query,docid,rating`
 * ("basic") and `Query Text, Doc ID, Rating` among others ("general").
 */
const COLUMNS = {
  query: ["query", "querytext", "userquery"],
  document: ["doc", "docid", "document", "documentid"],
  grade: ["grade", "rating", "judgment", "judgement"],
  index: ["index"],
  origin: ["origin"],
  who: ["who"],
  when: ["when"],
} as const;
type Column = keyof typeof COLUMNS;
const NEEDED = ["query", "document", "grade"] as const;

/** Where each column is among names; -1 for one that is not there. */
export type Columns = Readonly<Record<Column, number>>;

/** Finds the columns among the names of a header or of a JSON object's members. */
export function columnsOf(names: readonly string[]): Columns {
  const simple = names.map((name) => name.trim().toLowerCase().replaceAll(/[\s_]/g, ""));
  const place = (known: readonly string[]) =>
    known.reduce((found, name) => (found >= 0 ? found : simple.indexOf(name)), -1);
  return Object.fromEntries(Object.entries(COLUMNS).map(([kind, known]) => [kind, place(known)])) as Columns;
}

/** Returns the first column that judgments need and a header lacks. */
export const missingColumn = (columns: Columns): (typeof NEEDED)[number] | undefined =>
  NEEDED.find((kind) => columns[kind] < 0);

/** The usual name of a column. */
export const nameOf = (kind: Column): string => COLUMNS[kind][0];

/** Returns the origin that a cell names; of a text that is none, such as a country, what the file is taken for. */
export const originOf = (cell: string, otherwise: Origin): Origin =>
  ORIGINS.find((origin) => origin === cell.trim().toLowerCase()) ?? otherwise;

/** Returns the index that a cell names. A number is none: tables of pandas number their rows in a column `index`. */
export const indexOf = (cell: string): string | undefined => (/^\d*$/.test(cell.trim()) ? undefined : cell.trim());

/** A judgment from clicks with the counts that it rests on. */
interface Counted {
  impressions: number;
  clicks: number;
}

/** Writes judgments from clicks as CSV with a header; `index` is the one that was searched. */
export const writeClicks = (rows: Iterable<Judgment & Counted>, index = ""): string =>
  csv(
    ["query", "doc", "grade", "index", "origin", "impressions", "clicks"],
    Array.from(rows, ({ query, document, grade, impressions, clicks }) => [
      ...[query, document, grade, index, "clicks"],
      ...[impressions, clicks],
    ]),
  );
