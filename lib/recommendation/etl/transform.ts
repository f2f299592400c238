import { isUtf8 } from "node:buffer";
import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type ObjectStore, replace } from "../../platform/aws/object-store.ts";
import { isObject, parseJson } from "../../platform/json/values.ts";
import { concurrently } from "../../platform/resilience/concurrently.ts";
import { type AddRow, type Database, literal, literals } from "../../platform/sql/database.ts";
import { eventParser } from "../records/event.ts";
import { ANONYMOUS, type Definitions, type StoredEvent } from "../records/layout.ts";
import { trainedEvent } from "../records/trained-event.ts";
import { issuesText } from "../records/value.ts";
import { copyText, LONGEST_LINE, PROBLEM } from "./copy-text.ts";
import { eventColumns, sessionOf, storedTable } from "./event-columns.ts";
import { sharedKeys, TRANSFERS, writeFile, writeRejected } from "./run-files.ts";
import { sql } from "./sql.ts";
import type { Task } from "./tasks.ts";

/** The fastest form to write. A dictionary of texts that hardly repeat takes longer to build than it saves. */
const PARQUET = "FORMAT parquet, COMPRESSION lz4_raw, STRING_DICTIONARY_PAGE_SIZE_LIMIT 1";

/**
 * Reads a group of event objects and writes its valid rows as Parquet, one file for each partition, then the group's
 * result. Repeating a group writes the same files under the same keys, so an interrupted call can be repeated. The
 * engine's limits bound the memory.
 */
export async function transform(
  { result, objects: keys }: Task<"transform">,
  store: ObjectStore,
  definitions: Definitions,
  engine: Database,
): Promise<{ rows: number; rejected: number }> {
  // The index of an object in the group is part of its events' positions.
  const objects = keys.map((key, place) => ({ key, place, file: join(engine.folder, `${place}.json`) }));
  const arePlain = await concurrently(objects, TRANSFERS, ({ key, file }) => copyText(store, key, file));
  const columns = eventColumns(definitions, !arePlain.includes(false));
  const read = (some: typeof objects, first = 0) =>
    sql("objects", { ...columns, first, longest: LONGEST_LINE, files: literals(some.map(({ file }) => file)) });
  const target = join(engine.folder, "rows");
  const count = sharedKeys.partitions(result);
  const [part, by] = count > 1 ? [`, shard_of(__id, ${count}) AS part`, ", PARTITION_BY (part), OVERWRITE"] : ["", ""];
  const partition = (rows: string) =>
    engine.run(`COPY (SELECT *${part} FROM (${rows})) TO ${literal(target)} (${PARQUET}${by})`);
  let rows = await unlessRefused(partition(read(objects)));
  if (rows === undefined) {
    // Reads objects one by one. Objects that DuckDB refuses even alone are read line by line.
    await engine.run(storedTable(definitions));
    for (const object of objects) {
      const insert = `INSERT INTO stored ${read([object], object.place)}`;
      if (objects.length > 1 && (await unlessRefused(engine.run(insert))) !== undefined) continue;
      await engine.fill("stored", (accept) =>
        engine.fill("rejected", (reject) => readLines(object, definitions, accept, reject)),
      );
    }
    rows = await partition("FROM stored");
  }
  await concurrently([...new Array(count).keys()], TRANSFERS, (part) => {
    const file = count === 1 ? target : join(target, `part=${part}`, "data_0.parquet");
    return replace(store, sharedKeys.rows(result, part), existsSync(file) && file);
  });
  const files = literal(count === 1 ? target : `${target}/*/*`);
  const logins = join(engine.folder, "logins.parquet");
  const known =
    rows === 0 ? 0 : await engine.run(`COPY (${sql("logins", { files })}) TO ${literal(logins)} (${PARQUET})`);
  await replace(store, sharedKeys.logins(result), known > 0 && logins);
  const types = rows === 0 ? [] : await engine.rows(sql("types", { files }));
  const counts = Object.fromEntries(types.map(({ type, events }) => [String(type), Number(events)]));
  const written = { rows, rejected: await writeRejected(store, sharedKeys.rejects(result), engine) };
  await writeFile(store, result, { ...written, types: counts });
  return written;
}

/**
 * Errors by which DuckDB refuses a line, or columns that differ only in case. Any other error is a fault of the
 * statement.
 */
const REFUSALS = /^(Invalid Input Error|Binder Error: Duplicate struct entry name)/;

/**
 * Returns undefined if DuckDB refuses the objects: they contain something other than stored events, or columns that
 * differ only in case.
 */
const unlessRefused = (work: Promise<number>): Promise<number | undefined> =>
  work.catch((error: Error) => {
    if (REFUSALS.test(error.message)) return undefined;
    throw error;
  });

/** Reads an object line by line. The parser of records judges each line. */
async function readLines(
  { key, place, file }: { key: string; place: number; file: string },
  definitions: Definitions,
  accept: AddRow,
  reject: AddRow,
) {
  const parse = eventParser(definitions, undefined, "ignore");
  const toTrained = trainedEvent(definitions);
  let line = 0;
  /** Returns the event and its session, or the reason why the line is not a valid event. */
  const judged = (bytes: Buffer): { event: StoredEvent; session: string | null } | string => {
    if (bytes.length > LONGEST_LINE) return `is longer than ${LONGEST_LINE} bytes`;
    if (!isUtf8(bytes)) return "is not UTF-8";
    const text = bytes.toString();
    if (text.startsWith(PROBLEM)) return text.slice(PROBLEM.length);
    const json = parseJson(text);
    if (json === undefined) return "is not JSON";
    const isAnonymous = isObject(json) && json[ANONYMOUS] === true;
    const parsed = parse(isAnonymous ? { ...json, [ANONYMOUS]: undefined } : json);
    if ("issues" in parsed) return issuesText(parsed.issues);
    return { event: parsed.record, session: sessionOf(parsed.record, isAnonymous) };
  };
  // Latin-1 keeps every byte of a line.
  for await (const text of createInterface({ input: createReadStream(file, "latin1") })) {
    line += 1;
    if (text.trim() === "") continue;
    const bytes = Buffer.from(text, "latin1");
    const found = judged(bytes);
    if (typeof found === "string") reject(key, line, found, bytes.toString("utf8", 0, 2_000));
    else {
      const { event, session } = found;
      const { userId, itemId, eventType, eventValue, timestamp, impression, values } = toTrained(event);
      const position = place * 2 ** 32 + line;
      accept(
        event.EVENT_ID,
        position,
        session,
        userId,
        itemId,
        eventType,
        eventValue,
        timestamp,
        impression,
        ...values,
      );
    }
  }
}
