import { isUtf8 } from "node:buffer";
import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ObjectStore } from "../../aws/object-store.ts";
import { parseJson } from "../../core/json/values.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { type Database, literal, literals } from "../../core/sql/database.ts";
import { eventParser } from "../records/event.ts";
import type { Definitions } from "../records/layout.ts";
import { reasonOf } from "../records/parsed.ts";
import { trainedEvent } from "../records/trained-event.ts";
import { eventColumns, rowColumns, storedTable } from "./event-columns.ts";
import { copyText, jsonLines, type Lines, LONGEST_LINE, PROBLEM, rowOf } from "./files.ts";
import { sharedKeys } from "./keys.ts";
import { replace, sum, TRANSFERS, writeFile } from "./run-files.ts";
import { rowsIn, sql } from "./sql.ts";
import type { GroupResult, Task } from "./tasks.ts";

/** An object on the function's disk, and its place in the group, which is part of the positions of its events. */
interface LocalObject {
  key: string;
  place: number;
  file: string;
}

/** The fastest form to write. A dictionary of texts that hardly repeat takes longer to build than it saves. */
const PARQUET = "FORMAT parquet, COMPRESSION lz4_raw, STRING_DICTIONARY_PAGE_SIZE_LIMIT 1";

/**
 * Reads a group of event objects and writes its valid rows as Parquet, one file for each partition, then the group's
 * result. Repeating a group writes the same files under the same keys, so an interrupted call can be repeated. The
 * engine's limits bound the memory.
 */
export async function transform(
  { result, objects: keys, of }: Task<"transform">,
  store: ObjectStore,
  definitions: Definitions,
  engine: Database,
): Promise<GroupResult> {
  const objects = await concurrently([...keys.entries()], TRANSFERS, async ([place, key]) => {
    const file = join(engine.folder, `${place}.json`);
    return { key, place, file, ...(await copyText(store, key, file)) };
  });
  const columns = eventColumns(
    definitions,
    objects.every(({ isPlain }) => isPlain),
  );
  const read = (some: typeof objects, first = 0) =>
    sql("objects", { ...columns, first, files: literals(some.map(({ file }) => file)) });
  const target = join(engine.folder, "rows");
  const partition = (rows: string) =>
    engine.run(
      of === 1
        ? `COPY (${rows}) TO ${literal(target)} (${PARQUET})`
        : `COPY (SELECT *, shard_of(__id, ${of}) AS part FROM (${rows})) TO ${literal(target)}
           (${PARQUET}, PARTITION_BY (part), OVERWRITE)`,
    );
  const accepted = jsonLines(join(engine.folder, "accepted"));
  const rejected = jsonLines(join(engine.folder, "rejected"));
  let rows = await unlessRefused(() => partition(read(objects)));
  if (rows === undefined) {
    // Only the objects that are refused, too, when they are read alone, are read line by line.
    await engine.run(storedTable(definitions));
    for (const object of objects) {
      const insert = () => engine.run(`INSERT INTO stored ${read([object], object.place)}`);
      const isRefused = objects.length === 1 || (await unlessRefused(insert)) === undefined;
      if (isRefused) await readLines(object, accepted, rejected, definitions);
    }
    await engine.run(`INSERT INTO stored ${rowsIn(accepted.flush(), rowColumns(definitions))}`);
    rows = await partition("FROM stored");
  }
  await concurrently([...new Array(of).keys()], TRANSFERS, (part) => {
    const file = of === 1 ? target : join(target, `part=${part}`, "data_0.parquet");
    return replace(store, sharedKeys.rows(result, of, part), existsSync(file) && file);
  });
  await replace(store, sharedKeys.rejects(result), rejected.count > 0 && rejected.flush());
  const bytes = sum(objects, (object) => object.bytes);
  const written: GroupResult = { key: result, rows, rejected: rejected.count, bytes, of };
  await writeFile(store, result, written);
  return written;
}

/** Returns undefined if the objects contain anything but stored events. */
async function unlessRefused<T>(operation: () => Promise<T>): Promise<T | undefined> {
  try {
    return await operation();
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("Invalid Input Error")) return undefined;
    throw error;
  }
}

/**
 * Reads an object line by line. The parser of records judges each line: adds its event to the lines `accepted`, or the line
 * with the reason to those `rejected`.
 */
async function readLines(
  { key, place, file }: LocalObject,
  accepted: Lines,
  rejected: Lines,
  definitions: Definitions,
) {
  const parse = eventParser(definitions, undefined, "ignore");
  const toTrained = trainedEvent(definitions);
  const names = rowColumns(definitions);
  let line = 0;
  const judged = (bytes: Buffer): object | string => {
    if (bytes.length > LONGEST_LINE) return `is longer than ${LONGEST_LINE} bytes`;
    if (!isUtf8(bytes)) return "is not UTF-8";
    const text = bytes.toString();
    if (text.startsWith(PROBLEM)) return text.slice(PROBLEM.length);
    const json = parseJson(text);
    if (json === undefined) return "is not JSON";
    const event = parse(json);
    if ("issues" in event) return reasonOf(event.issues);
    const { userId, itemId, eventType, eventValue, timestamp, impression, values } = toTrained(event.record);
    const position = (BigInt(place) << 32n) + BigInt(line);
    const cells = [userId, itemId, eventType, eventValue, timestamp, impression, ...values];
    return rowOf(names, [event.record.EVENT_ID, String(position), ...cells]);
  };
  // As Latin-1, a line keeps its bytes, whatever they are.
  for await (const text of createInterface({ input: createReadStream(file, "latin1") })) {
    line += 1;
    if (text.trim() === "") continue;
    const bytes = Buffer.from(text, "latin1");
    const found = judged(bytes);
    if (typeof found === "object") accepted.add(found);
    else rejected.add({ source: key, line, reason: found, row: bytes.toString("utf8", 0, 2_000) });
  }
}
