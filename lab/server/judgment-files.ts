import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { type JudgedRow, JudgmentFile } from "./judgment-file.ts";
import { ConsoleError } from "./problem.ts";

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
  /** Writes a judgment in place of an earlier one of the same query and document, and returns its row; null without. */
  judge(name: string, judgment: SentJudgment): JudgedRow | null;
}

/** Returns the judgments files in a folder, `<name>.csv` each. `who` is written beside each grade. */
export function judgmentFiles(folder: string, who: string, now: () => Date = () => new Date()): JudgmentFiles {
  const files = new Map<string, JudgmentFile>();
  const path = (name: string) => {
    if (/^[A-Za-z0-9][\w-]{0,63}$/.test(name)) return join(folder, `${name}.csv`);
    throw new ConsoleError(
      400,
      "invalid_request",
      `${JSON.stringify(name)} is not a name: use letters, digits, _ and -`,
    );
  };
  const file = (name: string) => {
    const kept = files.get(name) ?? new JudgmentFile(path(name));
    files.set(name, kept);
    return kept;
  };
  return {
    names: () => namesIn(folder, ".csv"),
    path,
    read: (name) => file(name).rows(),
    judge(name, { query, doc, grade }) {
      const row = grade === null ? null : { query, doc, grade, who, when: now().toISOString() };
      file(name).put(query, doc, row);
      return row;
    },
  };
}

/** Returns the names of a folder's files with an extension, without it, sorted; none if there is no folder. */
export function namesIn(folder: string, extension: string): string[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.flatMap((file) => (file.endsWith(extension) ? [file.slice(0, -extension.length)] : [])).sort();
}
