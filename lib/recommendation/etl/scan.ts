import { join } from "node:path";
import { type ObjectStore, replace } from "../../platform/aws/object-store.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { type AddRow, type Database, identifier, literal } from "../../platform/sql/database.ts";
import type { TableSource } from "../clients/dynamo-tables.ts";
import type { Definitions } from "../records/layout.ts";
import { profileFields, profileParser } from "../records/profile.ts";
import { ID_COLUMNS } from "../records/tables.ts";
import { issuesText } from "../records/value.ts";
import { LISTED_ITEMS, runKeys, writeFile, writeRejected } from "./run-files.ts";
import { csv } from "./sql.ts";
import type { Task } from "./tasks.ts";

/** A call stops reading when only this much time is left, which is enough to write the file. */
const STOP_BEFORE_MS = 60_000;

/** The field with the creation time, which orders the newest items. */
const CREATED = "CREATION_TIMESTAMP";

/** The characters of records after which a call stops reading. */
const FILE_CHARACTERS = 64 * 1_024 * 1_024;

/**
 * Continues reading a segment of a table until a file is full, time runs out or the segment ends. Returns the task for
 * the next call. Each call writes at most one file, so that a repeated call replaces everything that it wrote.
 */
export async function scan(
  task: Task<"scan">,
  store: ObjectStore,
  tables: TableSource,
  definitions: Definitions,
  engine: Database,
  deadline: Deadline,
  { fileCharacters = FILE_CHARACTERS } = {},
): Promise<Task<"scan">> {
  const { dataset, segment, of, part } = task;
  const parse = profileParser(dataset, definitions, "ignore");
  const valuesOf = profileFields(dataset, definitions);
  const schema = definitions.schemas[dataset];
  let { start } = task;
  let characters = 0;
  const readPages = async (accept: AddRow, reject: AddRow) => {
    do {
      const page = await tables.scan(dataset, { segment, of, start });
      start = page.last;
      for (const record of page.records) {
        const parsed = parse(record);
        const row = JSON.stringify(record);
        characters += row.length;
        if ("record" in parsed) accept(...valuesOf(parsed.record));
        else reject(`${dataset} ${record[ID_COLUMNS[dataset]]}`, null, issuesText(parsed.issues), row.slice(0, 2_000));
      }
    } while (start !== null && characters < fileCharacters && deadline.remaining() > STOP_BEFORE_MS);
  };
  const columns = schema.fields.map(({ name }) => `${identifier(name)} VARCHAR`);
  await engine.run(`CREATE TABLE record (${columns.join(", ")})`);
  await engine.fill("record", (accept) => engine.fill("rejected", (reject) => readPages(accept, reject)));

  const keys = runKeys(task.run);
  const name = keys.part(segment, part);
  const file = join(engine.folder, "rows.csv");
  const rows = await engine.run(csv(schema, "FROM record", file));
  await replace(store, `${keys.folder(dataset)}${name}.csv`, rows > 0 && file);
  const ids = join(engine.folder, "ids.parquet");
  const hashes = `SELECT md5_number_lower(${identifier(ID_COLUMNS[dataset])}) AS id FROM record`;
  await engine.run(`COPY (${hashes}) TO ${literal(ids)} (FORMAT parquet)`);
  await replace(store, `${keys.ids(dataset)}${name}.parquet`, rows > 0 && ids);
  if (dataset === "item" && schema.fields.some((field) => field.name === CREATED)) {
    const newest = join(engine.folder, "newest.parquet");
    const created = `SELECT ITEM_ID AS item, try_cast(${CREATED} AS BIGINT) AS created FROM record`;
    await engine.run(
      `COPY (FROM (${created}) WHERE created IS NOT NULL ORDER BY created DESC, item LIMIT ${LISTED_ITEMS}) TO ${literal(newest)} (FORMAT parquet)`,
    );
    await replace(store, `${keys.newest}${name}.parquet`, rows > 0 && newest);
  }
  const rejected = await writeRejected(store, `${keys.rejects(dataset)}${name}.jsonl`, engine);
  const counts = { rows: task.rows + rows, rejected: task.rejected + rejected };
  const next = { ...task, ...counts, part: part + 1, start, done: start === null };
  if (next.done) await writeFile(store, task.result, next);
  return next;
}
