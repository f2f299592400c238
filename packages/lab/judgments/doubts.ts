import { isAbout, type Judgment } from "./judgments.ts";
import type { JudgmentsFile } from "./read.ts";
import { JudgmentsError } from "./text.ts";

/** Returns the judgments about an index. Throws JudgmentsError if all of them are about others. */
export function judgmentsAbout({ file, rows }: JudgmentsFile, index: string): Judgment[] {
  const own = rows.filter((row) => isAbout(row, index));
  if (own.length > 0) return own;
  const others = [...new Set(rows.map((row) => row.index))].sort();
  throw new JudgmentsError(
    `${file}: all judgments are about other indexes, ${others.join(", ")}, and none about ${index}`,
  );
}

/** Returns what makes judgments doubtful, in sentences without a period. */
export function doubtsAbout(rows: readonly Judgment[]): string[] {
  const highest = rows.reduce((most, { grade }) => Math.max(most, grade), Number.NEGATIVE_INFINITY);
  const isFractional = rows.some(({ grade }) => grade > 0 && grade < 1);
  const origins = new Set(rows.map(({ origin = "import" }) => origin));
  return [
    ...(highest <= 0
      ? ["No document has a grade above 0, so every metric is 0: judge documents that are relevant"]
      : []),
    ...(highest > 0 && highest <= 1 && isFractional && !origins.has("clicks")
      ? [
          `The grades go from 0 to ${highest}, and mrr, precision, recall, map, bpref and infap count a document as relevant ` +
            "from grade 1: multiply the grades, so that the least relevant document has 1",
        ]
      : []),
    ...(origins.has("clicks") && origins.size > 1
      ? [
          "Grades from clicks (1 is average) and other grades are on different scales: evaluate each in a file of its own",
        ]
      : []),
  ];
}

/** Returns a doubt about queries that are named by ids, as TREC does, if nobody passed their texts. */
export function doubtAboutTexts({ format, rows }: JudgmentsFile, hasTopics: boolean): string[] {
  if (format !== "trec" || hasTopics) return [];
  const first = JSON.stringify(rows[0]?.query ?? "");
  return [
    `TREC qrels name queries by ids, and these are searched for as if they were texts (${first}): pass --queries`,
  ];
}
