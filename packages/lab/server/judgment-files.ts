import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { type JudgedRow, JudgmentFile } from "./judgment-file.ts";
import { ConsoleError } from "./problem.ts";

/** Files that the console continues as CSV, beside those that are CSV already. */
const OTHERS = [".tsv", ".json", ".jsonl", ".ndjson", ".qrels"] as const;

/** A person's name, as it stands in a file. */
export const PersonName = v.pipe(
  v.string(),
  v.trim(),
  v.normalize("NFC"),
  v.maxLength(64),
  // Persian and other scripts need joiners and direction marks, but no encoding has half a pair.
  v.regex(/^[^\p{Cc}\p{Cs}]+$/u, "must be a name, without control characters"),
);

/** A judgment as the page sends it; without a grade it is taken back. */
export const SentJudgment = v.strictObject({
  query: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(2_000)),
  doc: v.pipe(v.string(), v.nonEmpty(), v.maxLength(512)),
  index: v.optional(v.string(), ""),
  grade: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3))),
  rater: v.optional(PersonName),
  adjudicated: v.optional(PersonName),
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
   * Writes a person's judgment in place of an earlier one of the same query, document, index and rater, and returns its
   * row; null if it is taken back. Leaves those of others. Keeps every other column and row of the file.
   */
  judge(name: string, judgment: SentJudgment): JudgedRow | null;
}

/** Returns the judgments files in a folder. `who` is written beside each grade. */
export function judgmentFiles(folder: string, who: string, now: () => Date = () => new Date()): JudgmentFiles {
  const files = new Map<string, JudgmentFile>();
  const named = (name: string, extension: string) => namedFile(folder, name, extension);
  const path = (name: string): string => {
    const found = [".csv", ...OTHERS].map((extension) => named(name, extension));
    return found.find((file) => existsSync(file)) ?? named(name, ".csv");
  };
  const file = (name: string) => {
    const kept = files.get(name) ?? new JudgmentFile(named(name, ".csv"), () => path(name));
    files.set(name, kept);
    return kept;
  };
  return {
    names: () => [...new Set([".csv", ...OTHERS].flatMap((extension) => namesIn(folder, extension)))].sort(),
    path,
    read: (name) => file(name).rows(),
    judge: (name, judgment) => file(name).put({ ...judgment, origin: "people", who, when: now().toISOString() }),
  };
}

/** Returns the path of a file in a folder. Throws ConsoleError for a name that could leave it. */
export function namedFile(folder: string, name: string, extension: string): string {
  if (/^[A-Za-z0-9][\w-]{0,63}$/.test(name)) return join(folder, `${name}${extension}`);
  throw new ConsoleError(400, "invalid_request", `${JSON.stringify(name)} is not a name: use letters, digits, _ and -`);
}

/** Returns the names of a folder's files with an extension, without it, sorted; none if there is no folder. */
export function namesIn(folder: string, extension: string): string[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.flatMap((file) => (file.endsWith(extension) ? [file.slice(0, -extension.length)] : [])).sort();
}
