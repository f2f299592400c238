import type { ObjectStore } from "../../aws/object-store.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import type { Definitions } from "../records/layout.ts";
import { reasonOf } from "../records/parsed.ts";
import { ID_COLUMNS, profileFields, profileParser } from "../records/profile.ts";
import { type Engine, writeRows } from "./engine.ts";
import { runKeys } from "./keys.ts";
import { type ScanTask, writeFile } from "./run-files.ts";
import { csv, identifier, rejects } from "./sql.ts";

/** The datasets that are stored in tables. */
export type TableDataset = ScanTask["dataset"];

/** The tables of users and items. */
export interface TableSource {
  /** Returns the approximate size of a table in bytes. It may be hours old. */
  size(dataset: TableDataset): Promise<number>;
  /** Reads one page of a segment, at most 1 MB, with strong consistency, and where to start next: null at the end. */
  scan(
    dataset: TableDataset,
    part: Pick<ScanTask, "segment" | "of" | "start">,
  ): Promise<{ records: readonly Readonly<Record<string, unknown>>[]; last: ScanTask["start"] }>;
}

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
  { fileCharacters = FILE_CHARACTERS } = {},
): Promise<ScanTask> {
  const { run, dataset, segment, of, part } = task;
  const parse = profileParser(dataset, definitions, "ignore");
  const valuesOf = profileFields(dataset, definitions);
  const schema = definitions.schemas[dataset];
  await engine.run(
    `CREATE TABLE record (${schema.fields.map(({ name }) => `${identifier(name)} VARCHAR`).join(", ")})`,
  );
  let { start } = task;
  let characters = 0;
  do {
    const page = await tables.scan(dataset, { segment, of, start });
    start = page.last;
    const accepted: (string | number | null)[][] = [];
    const rejected: (string | null)[][] = [];
    for (const record of page.records) {
      const parsed = parse(record);
      const text = JSON.stringify(record);
      characters += text.length;
      if ("record" in parsed) accepted.push(valuesOf(parsed.record));
      else {
        const source = `${dataset} ${String(record[ID_COLUMNS[dataset]])}`;
        rejected.push([source, null, reasonOf(parsed.issues), text]);
      }
    }
    await engine.insert("record", accepted);
    await engine.insert("reject", rejected);
  } while (start !== null && characters < fileCharacters && deadline.remaining() > STOP_BEFORE_MS);

  const keys = runKeys(run);
  const name = keys.part(segment, part);
  const rows = await writeRows(engine, store, `${keys.folder(dataset)}${name}.csv`, (to) =>
    csv(schema, "FROM record", to),
  );
  const rejected = await writeRows(engine, store, `${keys.rejects(dataset)}${name}.jsonl`, rejects);
  const counts = { dataset, rows: task.rows + rows, rejected: task.rejected + rejected };
  if (start === null) await writeFile(store, task.result, counts);
  return { ...task, ...counts, part: part + 1, start, done: start === null };
}
