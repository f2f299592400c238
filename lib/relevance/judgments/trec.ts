import { gradeOf, type Judgment, JudgmentsError } from "./judgments.ts";

/** Reads TREC qrels: `topic iteration document grade` on each line, separated by blanks. Throws JudgmentsError. */
export function* readTrec(text: string): Generator<Judgment> {
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const [query, , document, grade, ...more] = line.trim().split(/\s+/);
    if (query === undefined || document === undefined || grade === undefined || more.length > 0) {
      throw new JudgmentsError(`line ${index + 1}: a line of qrels is "topic iteration document grade", got "${line}"`);
    }
    yield { query, document, grade: gradeOf(grade, index + 1) };
  }
}
