import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { chunks } from "../../platform/aws/call.ts";
import { download, type ObjectStore, replace } from "../../platform/aws/object-store.ts";
import { concurrently } from "../../platform/resilience/concurrently.ts";
import { type Database, literal, literals } from "../../platform/sql/database.ts";
import { chosenTypes, fixedTypes } from "../../settings/event-types.ts";
import { storedTable } from "./event-columns.ts";
import { EtlError, readFile, runKeys, sharedKeys, TRANSFERS } from "./run-files.ts";
import { csv, sql } from "./sql.ts";
import { type EventCheck, type RunPlan, type Task, TypeCounts } from "./tasks.ts";

/**
 * Reads one shard of all days and writes its events, without duplicates, as one file, and what it counts. Of the events
 * with the same EVENT_ID, it keeps the first, in the order of days, objects and lines. A repeated call writes the same
 * files. The engine's limits bound the memory. Returns the number of rows.
 */
export async function deduplicate(
  { run, result, shard, of }: Task<"deduplicate">,
  store: ObjectStore,
  { groups, definitions, mode, checks, event_types }: RunPlan,
  engine: Database,
): Promise<number> {
  const partitions = groups.flatMap((group, index) => {
    const count = sharedKeys.partitions(group);
    const mine = [...new Array(count).keys()].filter((partition) => partition % of === shard % count);
    return mine.map((partition) => ({
      key: sharedKeys.rows(group, partition),
      file: join(engine.folder, `${String(index).padStart(8, "0")}-${partition}.parquet`),
    }));
  });
  // A partition without events has no object. If an object with events is missing, the check of the run's counts fails.
  const isThere = await concurrently(partitions, TRANSFERS, ({ key, file }) => download(store, key, file));
  const empty = join(engine.folder, "00000000.parquet");
  await engine.run(`${storedTable(definitions)} COPY stored TO ${literal(empty)} (FORMAT parquet)`);
  // The empty file comes last, because DuckDB estimates the number of rows by the first file.
  const files = [...partitions.filter((_, index) => isThere[index]).map(({ file }) => file), empty];
  const areMine = groups.every((group) => sharedKeys.partitions(group) >= of);
  const mine = areMine ? "true" : `shard_of(__id, ${of}) = ${shard}`;
  await engine.run(sql("kept", { mine, files: literals(files) })).catch((error: Error) => {
    const broken = partitions.find(({ file }) => error.message.includes(file));
    throw broken ? new EtlError(`${broken.key} cannot be read: was it changed? ${error.message}`) : error;
  });
  const anonymous = "SELECT 1 FROM event WHERE __session IS NOT NULL AND __session = USER_ID LIMIT 1";
  if ((await engine.rows(anonymous)).length > 0) await joinSessions(groups, store, engine);
  const file = join(engine.folder, "kept.csv");
  const types = await typesOf(event_types, groups, store);
  const trained = types === undefined ? "true" : `list_contains(${literals(types)}::VARCHAR[], EVENT_TYPE)`;
  const columns = mode === "init" ? "* REPLACE (NULL AS IMPRESSION)" : "*";
  const events = `SELECT ${columns} FROM kept WHERE ${trained}`;
  const rows = await engine.run(csv(definitions.schemas.interaction, events, file));
  await replace(store, runKeys(run).interactions(shard), rows > 0 && file);
  await writeReport(result, checks, store, engine, trained);
  return rows;
}

/**
 * Assigns the events of visitors who logged in later, in any group, to those users. Reads a few groups' logins at a time and
 * keeps only those of the shard's visitors: the logins of all groups may take more than the disk has left.
 */
async function joinSessions(groups: readonly string[], store: ObjectStore, engine: Database) {
  await engine.run(sql("visitors"));
  let logins = 0;
  for (const some of chunks(groups.map(sharedKeys.logins), TRANSFERS)) {
    const files = await concurrently(some, TRANSFERS, async (key) => {
      const file = join(engine.folder, basename(key));
      return (await download(store, key, file)) ? [file] : [];
    });
    const read = files.flat();
    if (read.length > 0) logins += await engine.run(sql("group-logins", { files: literals(read) }));
    await Promise.all(read.map((file) => rm(file)));
  }
  // Without a login, two joins over all anonymous events would find nothing.
  if (logins > 0) await engine.run(sql("sessions"));
}

/** Returns the event types that are imported. Every shard of a run finds the same ones. Undefined means all. */
async function typesOf(
  choice: RunPlan["event_types"],
  groups: readonly string[],
  store: ObjectStore,
): Promise<readonly string[] | undefined> {
  const fixed = choice && fixedTypes(choice);
  if (!choice || fixed) return fixed;
  const counts = new Map<string, number>();
  for (const { types } of await concurrently(groups, TRANSFERS, (group) => readFile(store, group, TypeCounts))) {
    for (const [type, events] of Object.entries(types)) counts.set(type, (counts.get(type) ?? 0) + events);
  }
  return chosenTypes(choice, counts);
}

/** Writes the counts of the events in the view `kept`, as Parquet. `trained` selects those that are imported. */
export async function writeReport(
  key: string,
  checks: readonly EventCheck[],
  store: ObjectStore,
  engine: Database,
  trained = "true",
) {
  const counts = checks.map(({ event_type: type, event_value_threshold: threshold }) => {
    const ofType = type === undefined ? "true" : `EVENT_TYPE = ${literal(type)}`;
    // An event without a value is below every threshold.
    const above = threshold === undefined ? "true" : `EVENT_VALUE::DOUBLE >= ${threshold}`;
    return `count(*) FILTER (${trained} AND ${ofType} AND ${above})`;
  });
  const file = join(engine.folder, "report.parquet");
  await engine.run(sql("report", { trained, checks: `[${counts.join(", ")}]`, file: literal(file) }));
  await store.write(key, { file });
}
