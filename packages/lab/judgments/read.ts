import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { readJson } from "./json.ts";
import { gradeOf, type Judgment, type Judgments, judgmentsOf } from "./judgments.ts";
import { isTable, judgmentsIn, readCells, recordsIn } from "./table.ts";
import { decoded, JudgmentsError } from "./text.ts";

type Format = "table" | "json" | "trec";
const FORMATS: Readonly<Record<string, Format>> = {
  ".csv": "table",
  ".json": "json",
  ".jsonl": "json",
  ".ndjson": "json",
};

const READERS: Readonly<Record<Format, (text: string) => Iterable<Judgment>>> = {
  table: (text) => judgmentsIn(readCells(text)),
  json: readJson,
  trec: readTrec,
};

/** The judgments of a file, in its order. */
export interface JudgmentsFile {
  file: string;
  rows: readonly Judgment[];
  format: Format;
}

/**
 * Reads a judgments file. Its extension decides: `.csv` is a table, `.json`, `.jsonl` and `.ndjson` are JSON; of any
 * other, the first line tells whether it is a table, JSON or TREC qrels. Throws JudgmentsError with the file's name, also
 * when the file has no judgments.
 */
export function readJudgmentsFile(file: string): JudgmentsFile {
  const read = namingFile(file, () => {
    const text = textIn(file);
    const format = FORMATS[extname(file).toLowerCase()] ?? formatOf(text);
    return { file, rows: Array.from(READERS[format](text)), format };
  });
  if (read.rows.length > 0) return read;
  throw new JudgmentsError(`${file} has no judgments`);
}

const formatOf = (text: string): Format => (/^\s*[[{]/.test(text) ? "json" : isTable(text) ? "table" : "trec");

/** Reads a judgments file as {@link readJudgmentsFile} does and groups its judgments by query. */
export const readJudgments = (file: string): Judgments => judgmentsOf(readJudgmentsFile(file).rows);

/** A query behind an id. */
export interface Topic {
  text: string;
  /** Who searches, for measuring the personal ranking. */
  userId: string | undefined;
}

/**
 * Reads topics by id: `id<TAB>text` on each line, or a table with the header `id,query` and optionally `user_id`. If no
 * line has a tab, each is a text that is its own id. Throws JudgmentsError with the file's name.
 */
export function readTopics(file: string): Map<string, Topic> {
  const isCsv = extname(file).toLowerCase() === ".csv";
  const rows = namingFile(file, () => {
    const text = textIn(file);
    return isCsv || /\t|^id[,;]/.test(text) ? recordsIn(text, isCsv, ["id", "query"]) : textsIn(text);
  });
  return new Map(
    rows.map(({ id = "", query = "", user_id = "" }, index) => {
      const topic = { text: query.trim(), userId: user_id.trim() === "" ? undefined : user_id.trim() };
      if (id.trim() !== "" && topic.text !== "") return [id.trim(), topic];
      throw new JudgmentsError(`${file}: topic ${index + 1} needs an id and a query`);
    }),
  );
}

const textsIn = (text: string): Record<string, string>[] =>
  text.split(/\r?\n/).flatMap((line) => (line.trim() === "" ? [] : [{ id: line.trim(), query: line.trim() }]));

/** Reads the text of a file. Throws JudgmentsError if its encoding is unknown. */
export const textIn = (file: string): string => decoded(readFileSync(file));

function namingFile<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new JudgmentsError(`${file}: ${reason}`, { cause: error });
  }
}

/** Reads TREC qrels: `topic iteration document grade` on each line, separated by blanks. Throws JudgmentsError. */
function* readTrec(text: string): Generator<Judgment> {
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const [query, , document, grade, ...more] = line.trim().split(/\s+/);
    if (query === undefined || document === undefined || grade === undefined || more.length > 0) {
      throw new JudgmentsError(`line ${index + 1}: a line of qrels is "topic iteration document grade", got "${line}"`);
    }
    yield { query, document, grade: gradeOf(grade, index + 1), origin: "import" };
  }
}
