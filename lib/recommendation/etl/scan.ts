import type { Deadline } from "../../core/resilience/deadline.ts";
import type { Definitions } from "../records/layout.ts";
import { ID_COLUMNS, profileFields, profileParser } from "../records/profile.ts";
import { csvCell } from "./event-row.ts";
import { runKeys } from "./keys.ts";
import type { ObjectStore } from "./object-store.ts";
import { PartWriter } from "./part-writer.ts";
import { reasonOf, rejectLine } from "./rejects.ts";
import { type ScanResult, type ScanTask, writeFile } from "./run-files.ts";
import type { TableSource } from "./table-source.ts";

/** A call stops reading when only this much time is left, which is enough to write 32 MiB. */
const STOP_BEFORE_MS = 60_000;

/**
 * Continues reading a segment of a table until a file is full, time runs out or the segment ends. Returns the task for
 * the next call. Each call writes at most one file, so that a repeated call replaces everything that it wrote.
 */
export async function scan(
  task: ScanTask,
  store: ObjectStore,
  tables: TableSource,
  definitions: Definitions,
  deadline: Deadline,
  options: { partBytes?: number } = {},
): Promise<ScanTask> {
  if (task.done) return task;
  const { dataset, segment, of, part } = task;
  const keys = runKeys(task.run);
  const parse = profileParser(dataset, definitions, "ignore");
  const fields = profileFields(dataset, definitions);
  const header = definitions.schemas[dataset].fields.map(({ name }) => name).join(",");
  const writer = new PartWriter(store, header, () => keys.table(dataset, segment, part), options.partBytes);
  let { start } = task;
  let rows = 0;
  let rejected = 0;
  let rejects = "";
  do {
    const page = await tables.scan(dataset, { segment, of, start });
    start = page.last;
    for (const record of page.records) {
      const parsed = parse(record);
      if ("record" in parsed) {
        writer.add(fields(parsed.record).map(csvCell).join(","));
        rows += 1;
      } else {
        rejected += 1;
        const source = `${dataset} ${String(record[ID_COLUMNS[dataset]])}`;
        rejects += rejectLine({ source, reason: reasonOf(parsed.issues), row: record });
      }
    }
  } while (start !== null && !writer.isFull && deadline.remaining() > STOP_BEFORE_MS);

  await writer.flush();
  const rejectsKey = rejects === "" ? null : keys.tableRejects(dataset, segment, part);
  if (rejectsKey) await store.write(rejectsKey, rejects);
  const done = start === null;
  const result: ScanResult = { file: writer.files[0] ?? null, rows, rejected, rejects: rejectsKey, done };
  await writeFile(store, keys.scanResult(dataset, segment, part), result);
  return { ...task, part: part + 1, start, done };
}
