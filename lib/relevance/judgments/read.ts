import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { parse } from "csv-parse/sync";
import { type Judgments, JudgmentsError, judgmentsOf } from "./judgments.ts";
import { readTable } from "./table.ts";
import { readTrec } from "./trec.ts";
import { readUbi } from "./ubi.ts";

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
