import { mkdir, readdir, writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectStore } from "../../aws/object-store.ts";
import { parseJson } from "../../core/json/values.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { eventParser } from "../records/event.ts";
import type { Definitions } from "../records/layout.ts";
import { reasonOf } from "../records/parsed.ts";
import { trainedEvent } from "../records/trained-event.ts";
import { allRows, type Engine, writeRows } from "./engine.ts";
import { eventColumns, storedTable } from "./event-columns.ts";
import { download, unpack } from "./files.ts";
import { sharedKeys } from "./keys.ts";
import { type GroupResult, sum, TRANSFERS, type TransformTask, writeFile } from "./run-files.ts";
import { literal, literals, rejects, sql } from "./sql.ts";

/** An object on the function's disk. Its place in the group names the file, and is part of the positions of its events. */
interface LocalObject {
  key: string;
  file: string;
  bytes: number;
  isPlain: boolean;
  /** What is wrong with it as a whole. */
  problem?: string;
}

/**
 * Reads a group of event objects and writes its valid rows as Parquet, one file for each partition, then the group's
 * result. Repeating a group writes the same files under the same keys, so an interrupted call can be repeated. The
 * engine's limits bound the memory.
 */
export async function transform(
  { result, objects: keys, of }: TransformTask,
  store: ObjectStore,
  definitions: Definitions,
  engine: Engine,
): Promise<GroupResult> {
  const objects = await concurrently([...keys.entries()], TRANSFERS, async ([index, key]): Promise<LocalObject> => {
    const file = join(engine.folder, `${index}.json`);
    if (await download(store, key, `${file}.stored`)) return { key, file, ...(await unpack(`${file}.stored`, file)) };
    await write(file, "");
    return { key, file, bytes: 0, isPlain: true, problem: "the object has been removed since the run was planned" };
  });
  const columns = eventColumns(
    definitions,
    objects.every(({ isPlain }) => isPlain),
  );
  const read = (some: readonly LocalObject[], first = 0) =>
    sql("objects", { ...columns, first, files: literals(some.map(({ file }) => file)) });
  const folder = join(engine.folder, "partitions");
  const partition = async (rows: string) => {
    await mkdir(folder, { recursive: true });
    return engine.run(
      of === 1
        ? `COPY (${rows}) TO ${literal(join(folder, "part=0.parquet"))} (${PARQUET})`
        : `COPY (SELECT *, shard_of(__id, ${of}) AS part FROM (${rows})) TO ${literal(folder)}
           (${PARQUET}, PARTITION_BY (part), OVERWRITE)`,
    );
  };
  const isWhole = (some: readonly LocalObject[]) => some.every(({ problem }) => problem === undefined);
  let rows = isWhole(objects) ? await unlessRefused(() => partition(read(objects))) : undefined;
  // Only the objects that are refused, too, when they are read alone, are read line by line.
  if (rows === undefined) {
    await engine.run(storedTable(definitions));
    for (const [place, object] of objects.entries()) {
      const insert = () => engine.run(`INSERT INTO stored ${read([object], place)}`);
      const isKnown = objects.length === 1 || !isWhole([object]);
      if (isKnown || (await unlessRefused(insert)) === undefined)
        await readLines(object, place, columns, definitions, engine);
    }
    rows = await partition("FROM stored");
  }
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".parquet"));
  const files = new Map(names.map((name) => [Number(/part=(\d+)/.exec(name)?.[1]), join(folder, name)]));
  await concurrently([...files], TRANSFERS, ([partition, file]) =>
    store.write(sharedKeys.rows(result, of, partition), { file }),
  );
  const rejected = await writeRows(engine, store, sharedKeys.rejects(result), rejects);
  const bytes = sum(objects, (object) => object.bytes);
  const partitions = [...files.keys()].sort((a, b) => a - b);
  const written: GroupResult = { key: result, rows, rejected, bytes, of, partitions };
  await writeFile(store, result, written);
  return written;
}

/** The fastest form to write. A dictionary of texts that hardly repeat takes longer to build than it saves. */
const PARQUET = "FORMAT parquet, COMPRESSION lz4_raw, STRING_DICTIONARY_PAGE_SIZE_LIMIT 1";

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
 * Adds an object's events to the table `stored`, line by line. SQL judges what it can. The parser of records judges the
 * other lines, and gives the reasons of rejects.
 */
async function readLines(
  { key, file, problem }: LocalObject,
  place: number,
  columns: Readonly<Record<string, string | number>>,
  definitions: Definitions,
  engine: Engine,
): Promise<void> {
  await engine.run(sql("lines", { ...columns, first: place, file: literal(file), key: literal(key) }));
  const parse = eventParser(definitions, undefined, "ignore");
  const toTrained = trainedEvent(definitions);
  const others =
    "SELECT line::DOUBLE AS line, __position::VARCHAR AS position, text FROM judged WHERE NOT accepted ORDER BY line";
  for await (const rows of engine.rows(others)) {
    const accepted: (string | number | null)[][] = [];
    const rejected: (string | number)[][] = [];
    for (const { line, position, text } of rows) {
      const json = parseJson(String(text));
      const event = json === undefined ? undefined : parse(json);
      if (event && "record" in event) {
        const { userId, itemId, eventType, eventValue, timestamp, impression, values } = toTrained(event.record);
        const placed = [userId, itemId, eventType, eventValue, timestamp, impression];
        accepted.push([event.record.EVENT_ID, String(position), ...placed, ...values]);
      } else if (String(text).trim() !== "") {
        rejected.push([key, Number(line), event ? reasonOf(event.issues) : "is not JSON", String(text)]);
      }
    }
    await engine.insert("stored", accepted);
    await engine.insert("reject", rejected);
  }
  if (problem === undefined) return;
  const count = "SELECT ((SELECT count(*) FROM read_line) + (SELECT count(*) FROM unreadable))::DOUBLE AS lines";
  const lines = Number((await allRows(engine, count))[0]?.lines);
  await engine.insert("reject", [[key, lines === 0 ? 0 : lines + 1, problem, null]]);
}
