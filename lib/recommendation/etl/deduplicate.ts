import { join } from "node:path";
import type { ObjectStore } from "../../aws/object-store.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { allRows, type Engine } from "./engine.ts";
import { EtlError } from "./etl-error.ts";
import { checkSample } from "./event-checks.ts";
import { rowFields } from "./event-columns.ts";
import { download, TRANSFERS } from "./files.ts";
import { writeImportFile } from "./import-file.ts";
import { runKeys } from "./keys.ts";
import { SHARD_ITEMS } from "./popular-items.ts";
import { type DeduplicateTask, Partitions, readFile, type ShardResult, writeFile } from "./run-files.ts";
import type { RunSettings } from "./settings.ts";
import { identifier, literals, sql } from "./sql.ts";

/**
 * Reads one shard of all days and writes its events, without duplicates, as one file. Of the events with the same
 * EVENT_ID, it keeps the first, in the order of days, objects and lines. A repeated call writes the same files. The
 * engine's limits bound the memory.
 */
export async function deduplicate(
  task: DeduplicateTask,
  store: ObjectStore,
  settings: RunSettings,
  engine: Engine,
): Promise<ShardResult> {
  const { run, shard, of } = task;
  const keys = runKeys(run);
  const { definitions, mode } = settings;
  const partitions = await fetchShard(task, store, engine.folder);
  await engine
    .run(
      partitions.length > 0
        ? sql("repeated", { shard, of, files: literals(partitions.map(({ file }) => file)) })
        : `CREATE TEMP TABLE dropped (__dropped BIGINT);
           CREATE TEMP TABLE kept (${rowFields(definitions)
             .map((name) => `${identifier(name)} VARCHAR`)
             .join(", ")})`,
    )
    .catch((error: Error) => {
      const broken = partitions.find(({ file }) => error.message.includes(file));
      throw broken ? new EtlError(`${broken.key} cannot be read: was it changed? ${error.message}`) : error;
    });
  const fields = definitions.schemas.interaction.fields;
  const leavesOut = (name: string) => name === "IMPRESSION" && mode === "init";
  const cells = fields.map(({ name }) => (leavesOut(name) ? `NULL AS ${identifier(name)}` : identifier(name)));
  const file = await writeImportFile(engine, store, definitions.schemas.interaction, {
    key: keys.interactions(shard),
    query: `SELECT ${cells.join(", ")} FROM kept`,
  });

  const count = async (query: string) => Number((await allRows(engine, query))[0]?.n ?? 0);
  const counts = async (query: string) =>
    (await allRows(engine, query)).map(({ name, n }): [string, number] => [String(name), Number(n)]);
  const result: ShardResult = {
    files: file ? [file] : [],
    rows: file?.rows ?? 0,
    duplicates: await count("SELECT count(*) AS n FROM dropped"),
    impressions_left_out: fields.some(({ name }) => leavesOut(name))
      ? await count("SELECT count(IMPRESSION) AS n FROM kept")
      : 0,
    event_types: Object.fromEntries(
      await counts("SELECT EVENT_TYPE AS name, count(*) AS n FROM kept GROUP BY EVENT_TYPE ORDER BY EVENT_TYPE"),
    ),
    checks: [],
    items: await counts(
      `SELECT ITEM_ID AS name, count(*) AS n FROM kept GROUP BY ITEM_ID ORDER BY n DESC, ITEM_ID LIMIT ${SHARD_ITEMS}`,
    ),
  };
  for (const check of settings.checks) result.checks.push(await checkSample(check, engine));
  await writeFile(store, keys.shardResult(shard), result);
  return result;
}

interface Partition {
  key: string;
  file: string;
}

/** Copies the partitions that contain the shard's events to the disk. Their names begin with the place of their group. */
async function fetchShard(
  { run, shard, of }: DeduplicateTask,
  store: ObjectStore,
  folder: string,
): Promise<Partition[]> {
  const groups = await readFile(store, runKeys(run).partitions, Partitions);
  const partitions = groups.flatMap((group, index) =>
    group.files
      .filter(({ partition }) => partition % of === shard % group.of)
      .map(({ key }, nth) => ({ key, file: join(folder, `${String(index).padStart(8, "0")}-${nth}.parquet`) })),
  );
  return concurrently(partitions, TRANSFERS, async (partition) => {
    const { key, file } = partition;
    if (await download(store, key, file)) return partition;
    throw new EtlError(`${key} is missing: was it removed? Start the run again`);
  });
}
