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
import { eventColumns, rowFields } from "./event-columns.ts";
import { download, unpack } from "./files.ts";
import { sharedKeys } from "./keys.ts";
import { type GroupResult, TRANSFERS, type TransformTask, writeFile } from "./run-files.ts";
import { identifier, literal, literals, rejects, sql } from "./sql.ts";

/** The longest line. A Firehose record holds at most 1,000 KiB, so a longer line cannot be an event. */
const LONGEST_LINE = 1_024_000;

/** An object on the function's disk. Its place in the group names the file, and is part of the positions of its events. */
interface LocalObject {
  key: string;
  file: string;
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
    return { key, file, isPlain: true, problem: "the object has been removed since the run was planned" };
  });
  const isPlain = objects.every((object) => object.isPlain);
  const columns = {
    ...eventColumns(definitions, isPlain),
    longest_line: LONGEST_LINE,
    files: literals(objects.map(({ file }) => file)),
    keys: literals(keys),
  };
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
  const isWhole = objects.every(({ problem }) => problem === undefined);
  let rows = isWhole ? await unlessRefused(() => partition(sql("objects", columns))) : undefined;
  if (rows === undefined) {
    await engine.run(sql("lines", columns));
    rows = await partition(await parseOthers(objects, definitions, engine));
  }
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".parquet")).sort();
  const files = names.map((name) => {
    const partition = Number(/part=(\d+)/.exec(name)?.[1]);
    return { key: sharedKeys.rows(result, of, partition), partition, file: join(folder, name) };
  });
  await concurrently(files, TRANSFERS, ({ key, file }) => store.write(key, { file }));
  const rejected = await writeRows(engine, store, sharedKeys.rejects(result), rejects);
  const written: GroupResult = {
    rows,
    rejected: rejected.rows,
    rejects: rejected.rows > 0 ? [rejected.key] : [],
    of,
    files: files.map(({ key, partition }) => ({ key, partition })),
  };
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
 * Returns a query of the rows of objects that were read line by line. SQL judged what it can. The parser of records judges
 * the other lines, and gives the reasons of rejects.
 */
async function parseOthers(objects: readonly LocalObject[], definitions: Definitions, engine: Engine): Promise<string> {
  const parse = eventParser(definitions, undefined, "ignore");
  const toTrained = trainedEvent(definitions);
  const cells = ["__id", "__position", ...rowFields(definitions)].map(identifier).join(", ");
  await engine.run(`CREATE TABLE parsed AS SELECT ${cells} FROM judged LIMIT 0`);
  const others =
    "SELECT object, line::DOUBLE AS line, __position::VARCHAR AS position, text FROM judged WHERE NOT accepted";
  for await (const rows of engine.rows(others)) {
    const accepted: (string | number | null)[][] = [];
    const rejected: (string | number)[][] = [];
    for (const { object, line, position, text } of rows) {
      const json = parseJson(String(text));
      const event = json === undefined ? undefined : parse(json);
      if (event && "record" in event) {
        const { userId, itemId, eventType, eventValue, timestamp, impression, values } = toTrained(event.record);
        const placed = [userId, itemId, eventType, eventValue, timestamp, impression];
        accepted.push([event.record.EVENT_ID, String(position), ...placed, ...values]);
      } else if (String(text).trim() !== "") {
        const reason = event ? reasonOf(event.issues) : "is not JSON";
        rejected.push([objects[Number(object)]?.key ?? "", Number(line), reason, String(text)]);
      }
    }
    await engine.insert("parsed", accepted);
    await engine.insert("reject", rejected);
  }
  for (const [index, { key, problem }] of objects.entries()) {
    if (problem === undefined) continue;
    const of = (table: string) => `(SELECT count(*) FROM ${table} WHERE object = ${index})`;
    const [lines] = await allRows(engine, `SELECT (${of("read_line")} + ${of("unreadable")})::DOUBLE AS n`);
    await engine.insert("reject", [[key, Number(lines?.n) === 0 ? 0 : Number(lines?.n) + 1, problem, null]]);
  }
  return `SELECT ${cells} FROM judged WHERE accepted UNION ALL FROM parsed`;
}
