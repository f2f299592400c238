import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectStore } from "../../aws/object-store.ts";
import { parseJson } from "../../core/json/values.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { eventParser } from "../records/event.ts";
import type { Definitions } from "../records/layout.ts";
import { trainedEvent } from "../records/trained-event.ts";
import { allRows, type Engine } from "./engine.ts";
import { eventColumns, rowFields, typeOf } from "./event-columns.ts";
import { download, TextFile, TRANSFERS, unpack } from "./files.ts";
import { sharedKeys } from "./keys.ts";
import { reasonOf, rejectLine } from "./rejects.ts";
import { type GroupResult, type TransformTask, writeFile } from "./run-files.ts";
import { identifier, literal, literals, sql } from "./sql.ts";

/** The longest line. A Firehose record holds at most 1,000 KiB, so a longer line cannot be an event. */
const LONGEST_LINE = 1_024_000;

/** What DuckDB's reader calls a line that it cannot read, and the reason of the reject. */
const REASONS: Readonly<Record<string, string>> = {
  "INVALID ENCODING": "is not UTF-8",
  "LINE SIZE OVER MAXIMUM": `is longer than ${LONGEST_LINE} bytes`,
};

/** An object on the function's disk. `problem` is what is wrong with it as a whole. */
interface LocalObject {
  key: string;
  /** Its place in the group, which is part of the positions of its events. */
  index: number;
  file: string;
  problem: string | undefined;
}

/**
 * Reads a group of event objects and writes its valid rows as Parquet, one file for each partition, then the group's
 * result. Repeating a group writes the same files under the same keys, so an interrupted call can be repeated. The
 * engine's limits bound the memory.
 */
export async function transform(
  task: TransformTask,
  store: ObjectStore,
  definitions: Definitions,
  engine: Engine,
): Promise<GroupResult> {
  const { day, digest, of } = task;
  const objects = await fetchAll(task.objects, store, engine.folder);
  const rejects = new Rejects(join(engine.folder, "rejects.jsonl"));
  const sizes = await Promise.all(objects.map(async ({ file }) => (await stat(file)).size));
  const { rows, folder } = await partition(objects, of, definitions, engine, rejects);

  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".parquet")).sort();
  const files = names.map((name, index) => {
    const partition = Number(/part=(\d+)/.exec(name)?.[1]);
    return { key: sharedKeys.rows(day, digest, index), partition, file: join(folder, name) };
  });
  await concurrently(files, TRANSFERS, ({ key, file }) => store.write(key, { file }));
  rejects.file.flush();
  const rejectsKey = sharedKeys.rejects(day, digest);
  if (rejects.count > 0) await store.write(rejectsKey, { file: rejects.file.path });
  const result: GroupResult = {
    rows,
    rejected: rejects.count,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    of,
    files: files.map(({ key, partition }) => ({ key, partition })),
    rejects: rejects.count > 0 ? [rejectsKey] : [],
  };
  await writeFile(store, sharedKeys.group(day, digest), result);
  return result;
}

class Rejects {
  readonly file: TextFile;
  count = 0;

  constructor(path: string) {
    this.file = new TextFile(path);
  }

  add(reject: { source: string; line: number; reason: string; row?: string }): void {
    this.count += 1;
    this.file.add(rejectLine(reject));
  }
}

function fetchAll(keys: readonly string[], store: ObjectStore, folder: string): Promise<LocalObject[]> {
  const numbered = keys.map((key, index) => ({ key, index }));
  return concurrently(numbered, TRANSFERS, async ({ key, index }) => {
    const file = join(folder, `${index}.json`);
    const isThere = await download(store, key, `${file}.stored`);
    if (isThere) return { key, index, file, problem: await unpack(`${file}.stored`, file) };
    new TextFile(file);
    return { key, index, file, problem: "the object has been removed since the run was planned" };
  });
}

/** Writes the rows of all objects into files by partition, and returns how many rows there are and the folder. */
async function partition(
  objects: readonly LocalObject[],
  of: number,
  definitions: Definitions,
  engine: Engine,
  rejects: Rejects,
): Promise<{ rows: number; folder: string }> {
  const columns = { ...eventColumns(definitions), longest_line: LONGEST_LINE };
  const read = (from: readonly LocalObject[]) =>
    sql("objects", { ...columns, files: literals(from.map(({ file }) => file)), first_object: from[0]?.index ?? 0 });
  const write = async (query: string, name: string) => {
    const folder = join(engine.folder, name);
    await mkdir(folder);
    const rows = await engine.run(
      of === 1
        ? `COPY (${query}) TO ${literal(join(folder, "part=0.parquet"))} (FORMAT parquet)`
        : `COPY (SELECT *, shard_of(__id, ${of}) AS part FROM (${query})) TO ${literal(folder)}
           (FORMAT parquet, PARTITION_BY (part), OVERWRITE_OR_IGNORE)`,
    );
    return { rows, folder };
  };
  if (objects.every(({ problem }) => problem === undefined)) {
    const written = await unlessRefused(() => write(read(objects), "whole"));
    if (written) return written;
  }
  const readLines = lineReader(definitions, columns, engine, rejects);
  const staged: string[] = [];
  for (const object of objects) {
    const stage = join(engine.folder, `${object.index}.parquet`);
    const copy = (query: string) => engine.run(`COPY (${query}) TO ${literal(stage)} (FORMAT parquet)`);
    const isWhole = object.problem === undefined && (await unlessRefused(() => copy(read([object])))) !== undefined;
    if (!isWhole) await copy(await readLines(object));
    staged.push(stage);
  }
  return write(`SELECT * FROM read_parquet(${literals(staged)})`, "staged");
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
 * Returns a function that judges an object's lines and returns a query of its rows. SQL judges what it can. The parser of
 * records judges the other lines, and gives the reasons of rejects.
 */
function lineReader(
  definitions: Definitions,
  columns: Readonly<Record<string, string | number>>,
  engine: Engine,
  rejects: Rejects,
) {
  const parse = eventParser(definitions, undefined, "ignore");
  const toTrained = trainedEvent(definitions);
  const fields = rowFields(definitions);
  const names = ["__id", ...fields];
  const structure = `{line: 'BIGINT', ${names.map((name) => `${identifier(name)}: '${typeOf(name)}'`).join(", ")}}`;
  return async ({ key, index, file, problem }: LocalObject): Promise<string> => {
    await engine.run(sql("lines", { ...columns, file: literal(file) }));
    for (const { line, error } of await allRows(
      engine,
      "SELECT line::DOUBLE AS line, error FROM unreadable ORDER BY line",
    )) {
      rejects.add({ source: key, line: Number(line), reason: REASONS[String(error)] ?? "is not JSON" });
    }
    const parsed = new TextFile(`${file}.parsed`);
    const others = "SELECT line::DOUBLE AS line, text FROM judged WHERE NOT accepted ORDER BY line";
    for await (const rows of engine.rows(others)) {
      for (const row of rows) {
        const line = Number(row.line);
        const text = String(row.text);
        const json = parseJson(text);
        const event = json === undefined ? undefined : parse(json);
        if (event && "record" in event) {
          const { userId, itemId, eventType, eventValue, timestamp, impression, values } = toTrained(event.record);
          const cells = [
            event.record.EVENT_ID,
            userId,
            itemId,
            eventType,
            eventValue,
            timestamp,
            impression,
            ...values,
          ];
          const entries = names.map((name, at) => [name, cells[at] === null ? null : String(cells[at])]);
          parsed.add(`${JSON.stringify({ line, ...Object.fromEntries(entries) })}\n`);
        } else if (text.trim() !== "") {
          rejects.add({ source: key, line, reason: event ? reasonOf(event.issues) : "is not JSON", row: text });
        }
      }
    }
    parsed.flush();
    if (problem !== undefined) {
      const [lines] = await allRows(
        engine,
        "SELECT (SELECT count(*) FROM read_line) + (SELECT count(*) FROM unreadable) AS n",
      );
      rejects.add({ source: key, line: Number(lines?.n) === 0 ? 0 : Number(lines?.n) + 1, reason: problem });
    }
    const cells = `__id, (${index}::BIGINT << 32) + line AS __position, ${fields.map(identifier).join(", ")}`;
    return `SELECT ${cells} FROM judged WHERE accepted UNION ALL SELECT ${cells}
      FROM read_json(${literal(parsed.path)}, format = 'newline_delimited', columns = ${structure})`;
  };
}
