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
  /** The name of the person who judged, where several judge the same documents. */
  rater?: string | undefined;
  /** The name of the person who decided between raters. */
  adjudicated?: string | undefined;
}

/**
 * Who is followed where several judged one document for one query: first whoever decided between raters, then the raters
 * with names, then whatever has no name, and last a language model.
 */
const VOICES = ["model", "unnamed", "rater", "adjudicated"] as const;

/** Returns whose judgment a row is. */
export const voiceOf = ({ origin, rater, adjudicated }: Speaker): (typeof VOICES)[number] => {
  if (adjudicated) return "adjudicated";
  if (origin === "model") return "model";
  return rater ? "rater" : "unnamed";
};
type Speaker = Pick<Judgment, "origin" | "rater" | "adjudicated">;

/**
 * Returns whether both judgments have the same rater, so that the later one for a query and document replaces the
 * earlier one.
 */
export const isSameVoice = (one: Speaker, other: Speaker): boolean =>
  voiceOf(one) === voiceOf(other) && (voiceOf(one) !== "rater" || one.rater === other.rater);

/**
 * Groups judgments by query. Of several for one query and document those of the strongest voice count: of raters the
 * median of their latest grades, of any other the last one.
 */
export function judgmentsOf(rows: Iterable<Judgment>): Map<string, Map<string, number>> {
  const judgments = new Map<string, Map<string, number>>();
  const byVoice = Map.groupBy(rows, voiceOf);
  for (const voice of VOICES) {
    const own = byVoice.get(voice) ?? [];
    for (const { query, document, grade } of voice === "rater" ? medians(own) : own) {
      const grades = judgments.get(query) ?? new Map<string, number>();
      grades.set(document, grade);
      judgments.set(query, grades);
    }
  }
  return judgments;
}

/** Returns a judgment for each query and document: the median of what its raters said last. */
function medians(rows: readonly Judgment[]): Judgment[] {
  const pairs = Map.groupBy(rows, ({ query, document }) => JSON.stringify([query, document]));
  return [...pairs.values()].map((own) => {
    const grades = new Map(own.map(({ rater, grade }) => [rater, grade]));
    return { ...(own[0] as Judgment), grade: medianOf([...grades.values()]) };
  });
}

/**
 * Returns the median of grades, at least one. Of an even number it is the lower of the two in the middle: a grade that
 * somebody gave, and a document counts as relevant only if more than half of its raters say so.
 */
export function medianOf(grades: readonly number[]): number {
  const sorted = grades.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] as number;
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
  rater: ["rater"],
  adjudicated: ["adjudicated", "adjudicatedby"],
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

/** Returns the members of a judgment that name people; none for empty cells. */
export const raterIn = (rater: unknown, adjudicated: unknown): Pick<Judgment, "rater" | "adjudicated"> => ({
  ...(isName(rater) && { rater: rater.trim() }),
  ...(isName(adjudicated) && { adjudicated: adjudicated.trim() }),
});
const isName = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

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
