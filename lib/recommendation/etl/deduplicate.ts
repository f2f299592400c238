import { join } from "node:path";
import type { ObjectStore } from "../../aws/object-store.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { type Engine, writeRows } from "./engine.ts";
import { EtlError } from "./etl-error.ts";
import { storedTable } from "./event-columns.ts";
import { download } from "./files.ts";
import { runKeys, sharedKeys } from "./keys.ts";
import { type DeduplicateTask, ReadData, type RunPlan, readFile, TRANSFERS } from "./run-files.ts";
import type { EventCheck } from "./settings.ts";
import { csv, identifier, literal, literals, sql } from "./sql.ts";

/** How many users a shard lists for each recipe. */
export const LISTED_USERS = 1_000;

/** Number of items that a shard reports. */
const SHARD_ITEMS = 2_000;

/**
 * Reads one shard of all days and writes its events, without duplicates, as one file, and what it counts. Of the events
 * with the same EVENT_ID, it keeps the first, in the order of days, objects and lines. A repeated call writes the same
 * files. The engine's limits bound the memory. Returns the number of rows.
 */
export async function deduplicate(
  { run, result, shard, of }: DeduplicateTask,
  store: ObjectStore,
  { definitions, mode, checks }: RunPlan,
  engine: Engine,
): Promise<number> {
  const { groups } = await readFile(store, runKeys(run).read, ReadData);
  const partitions = groups.flatMap((group, index) =>
    group.partitions
      .filter((partition) => partition % of === shard % group.of)
      .map((partition) => ({
        key: sharedKeys.rows(group.key, group.of, partition),
        file: join(engine.folder, `${String(index).padStart(8, "0")}-${partition}.parquet`),
      })),
  );
  await concurrently(partitions, TRANSFERS, async ({ key, file }) => {
    if (!(await download(store, key, file)))
      throw new EtlError(`${key} is missing: was it removed? Start the run again`);
  });
  // A shard without events is read from a file without rows.
  const none = join(engine.folder, "00000000.parquet");
  await engine.run(`${storedTable(definitions)} COPY stored TO ${literal(none)} (FORMAT parquet)`);
  const isWhole = groups.every((group) => group.of >= of);
  const mine = isWhole ? "true" : `shard_of(__id, ${of}) = ${shard}`;
  // Not beside others: DuckDB estimates the rows of all files from the first, and would join in the slower direction.
  const files = literals(partitions.length > 0 ? partitions.map(({ file }) => file) : [none]);
  await engine.run(sql("kept", { mine, files })).catch((error: Error) => {
    const broken = partitions.find(({ file }) => error.message.includes(file));
    throw broken ? new EtlError(`${broken.key} cannot be read: was it changed? ${error.message}`) : error;
  });
  const schema = definitions.schemas.interaction;
  const cells = schema.fields.map(
    ({ name }) => `${name === "IMPRESSION" && mode === "init" ? "NULL AS " : ""}${identifier(name)}`,
  );
  const rows = await writeRows(engine, store, runKeys(run).interactions(shard), (to) =>
    csv(schema, `SELECT ${cells.join(", ")} FROM kept`, to),
  );
  await writeReport(result, checks, store, engine);
  return rows;
}

/** Writes the counts of the events in the view `kept`, as Parquet. */
export async function writeReport(key: string, checks: readonly EventCheck[], store: ObjectStore, engine: Engine) {
  const counts = checks.map(({ event_type: type, event_value_threshold: threshold }) => {
    const ofType = type === undefined ? "true" : `EVENT_TYPE = ${literal(type)}`;
    // An event without a value is below every threshold.
    const above = threshold === undefined ? "true" : `EVENT_VALUE::DOUBLE >= ${threshold}`;
    return `count(*) FILTER (${ofType} AND ${above})`;
  });
  await engine.run(sql("counted", { checks: `[${counts.join(", ")}]`, users: LISTED_USERS, items: SHARD_ITEMS }));
  await writeRows(engine, store, key, (to) => `COPY reported TO ${to} (FORMAT parquet)`);
}
