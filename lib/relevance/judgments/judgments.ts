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
