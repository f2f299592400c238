import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { parse } from "csv-parse/sync";
import * as v from "valibot";
import { parseJson } from "../../lib/core/json/values.ts";
import { gradeOf, type Judgment, type Judgments, JudgmentsError, judgmentsOf, readTable } from "./judgments.ts";

const READERS = { ".csv": readTable, ".json": readUbi, ".jsonl": readUbi, ".ndjson": readUbi } as const;

/**
 * Reads a judgments file. Its extension decides: `.csv` is a table, `.json`, `.jsonl` and `.ndjson` are UBI, everything
 * else is TREC qrels. Throws JudgmentsError with the file's name, also when the file has no judgments.
 */
export function readJudgments(file: string): Judgments {
  const extension = extname(file).toLowerCase();
  const read = Object.hasOwn(READERS, extension) ? READERS[extension as keyof typeof READERS] : readTrec;
  const judgments = namingFile(file, () => judgmentsOf(read(readFileSync(file, "utf8"))));
  if (judgments.size > 0) return judgments;
  throw new JudgmentsError(`${file} has no judgments`);
}

/** A query behind an id. */
export interface Topic {
  text: string;
  /** Who searches, for measuring the personal ranking. */
  userId: string | undefined;
}

/**
 * Reads topics by id: `id<TAB>text` on each line, or CSV with the header `id,query` and optionally `user_id`. Throws
 * JudgmentsError with the file's name.
 */
export function readTopics(file: string): Map<string, Topic> {
  const isTable = extname(file).toLowerCase() === ".csv";
  const rows = namingFile(file, (): Array<Record<string, string>> => {
    const columns = isTable || ["id", "query"];
    const format = { bom: true, delimiter: isTable ? "," : "\t", quote: isTable ? '"' : null };
    return parse<Record<string, string>>(readFileSync(file, "utf8"), { ...format, columns, skip_empty_lines: true });
  });
  return new Map(
    rows.map(({ id = "", query = "", user_id = "" }, index) => {
      const topic = { text: query.trim(), userId: user_id.trim() === "" ? undefined : user_id.trim() };
      if (id.trim() !== "" && topic.text !== "") return [id.trim(), topic];
      throw new JudgmentsError(`${file}: topic ${index + 1} needs an id and a query`);
    }),
  );
}

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
    yield { query, document, grade: gradeOf(grade, index + 1) };
  }
}

const Grade = v.union([v.number(), v.string()]);

/** A judgment list of OpenSearch's Search Relevance Workbench, as it imports and exports it. */
const JudgmentList = v.object({
  judgmentRatings: v.array(
    v.object({ query: v.string(), ratings: v.array(v.object({ docId: v.string(), rating: Grade })) }),
  ),
});

/** One judgment of OpenSearch's search quality evaluation framework, which computes them from UBI events. */
const UbiJudgment = v.object({ query: v.string(), document: v.string(), judgment: Grade });

/**
 * Reads judgments that OpenSearch made from UBI events: one JSON document with `judgmentRatings`, or lines of JSON with
 * `query`, `document` and `judgment`. Throws JudgmentsError.
 */
function* readUbi(text: string): Generator<Judgment> {
  const list = v.safeParse(JudgmentList, parseJson(text));
  if (list.success) {
    for (const { query, ratings } of list.output.judgmentRatings) {
      for (const { docId, rating } of ratings) yield { query, document: docId, grade: gradeOf(rating, 1) };
    }
    return;
  }
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const row = v.safeParse(UbiJudgment, parseJson(line));
    if (!row.success) {
      throw new JudgmentsError(
        `line ${index + 1}: neither a document with judgmentRatings, nor a line with query, document and judgment`,
      );
    }
    const { query, document, judgment } = row.output;
    yield { query, document, grade: gradeOf(judgment, index + 1) };
  }
}
