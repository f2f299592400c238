import { join } from "node:path";
import type { ObjectStore } from "../../aws/object-store.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import type { Definitions } from "../records/layout.ts";
import { ID_COLUMNS, profileFields, profileParser } from "../records/profile.ts";
import type { Engine } from "./engine.ts";
import { TextFile } from "./files.ts";
import { writeImportFile } from "./import-file.ts";
import { runKeys } from "./keys.ts";
import { reasonOf, rejectLine } from "./rejects.ts";
import { type ScanResult, type ScanTask, writeFile } from "./run-files.ts";
import { identifier, literal } from "./sql.ts";
import type { TableSource } from "./table-source.ts";

/** A call stops reading when only this much time is left, which is enough to write the file. */
const STOP_BEFORE_MS = 60_000;

/** The characters of records after which a call stops reading. */
const FILE_CHARACTERS = 64 * 1_024 * 1_024;

/**
 * Continues reading a segment of a table until a file is full, time runs out or the segment ends. Returns the task for
 * the next call. Each call writes at most one file, so that a repeated call replaces everything that it wrote.
 */
export async function scan(
  task: ScanTask,
  store: ObjectStore,
  tables: TableSource,
  definitions: Definitions,
  engine: Engine,
  deadline: Deadline,
  options: { fileCharacters?: number } = {},
): Promise<ScanTask> {
  if (task.done) return task;
  const { dataset, segment, of, part } = task;
  const keys = runKeys(task.run);
  const parse = profileParser(dataset, definitions, "ignore");
  const valuesOf = profileFields(dataset, definitions);
  const { fields } = definitions.schemas[dataset];
  const records = new TextFile(join(engine.folder, "records.json"));
  const rejects = new TextFile(join(engine.folder, "rejects.jsonl"));
  let { start } = task;
  let rejected = 0;
  do {
    const page = await tables.scan(dataset, { segment, of, start });
    start = page.last;
    for (const record of page.records) {
      const parsed = parse(record);
      if ("record" in parsed) {
        const cells = valuesOf(parsed.record).map((value, at) => [`c${at}`, value === null ? null : String(value)]);
        records.add(`${JSON.stringify(Object.fromEntries(cells))}\n`);
      } else {
        rejected += 1;
        const source = `${dataset} ${String(record[ID_COLUMNS[dataset]])}`;
        rejects.add(rejectLine({ source, reason: reasonOf(parsed.issues), row: record }));
      }
    }
  } while (
    start !== null &&
    records.size < (options.fileCharacters ?? FILE_CHARACTERS) &&
    deadline.remaining() > STOP_BEFORE_MS
  );

  records.flush();
  const cells = fields.map(({ name }, at) => `c${at} AS ${identifier(name)}`).join(", ");
  const types = fields.map((_, at) => `c${at}: 'VARCHAR'`).join(", ");
  const file = await writeImportFile(engine, store, definitions.schemas[dataset], {
    key: keys.table(dataset, segment, part),
    query: `SELECT ${cells} FROM read_json(${literal(records.path)}, format = 'newline_delimited', columns = {${types}})`,
  });
  const rejectsKey = rejected === 0 ? null : keys.tableRejects(dataset, segment, part);
  rejects.flush();
  if (rejectsKey) await store.write(rejectsKey, { file: rejects.path });
  const done = start === null;
  const result: ScanResult = { file, rows: file?.rows ?? 0, rejected, rejects: rejectsKey, done };
  await writeFile(store, keys.scanResult(dataset, segment, part), result);
  return { ...task, part: part + 1, start, done };
}
