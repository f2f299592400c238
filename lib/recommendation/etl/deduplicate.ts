import { join } from "node:path";
import type { ObjectStore } from "../../aws/object-store.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { allRows, type Engine, writeRows } from "./engine.ts";
import { EtlError } from "./etl-error.ts";
import { countEvents } from "./event-checks.ts";
import { download } from "./files.ts";
import { runKeys } from "./keys.ts";
import { type DeduplicateTask, type RunPlan, readGroups, type ShardResult, TRANSFERS, writeFile } from "./run-files.ts";
import { csv, identifier, literals, sql } from "./sql.ts";

/**
 * Reads one shard of all days and writes its events, without duplicates, as one file. Of the events with the same
 * EVENT_ID, it keeps the first, in the order of days, objects and lines. A repeated call writes the same files. The
 * engine's limits bound the memory.
 */
export async function deduplicate(
  { run, result, shard, of }: DeduplicateTask,
  store: ObjectStore,
  { groups, definitions, mode, checks }: RunPlan,
  engine: Engine,
): Promise<ShardResult> {
  const partitions = (await readGroups(store, groups)).flatMap((group, index) =>
    group.files
      .filter(({ partition }) => partition % of === shard % group.of)
      .map(({ key }, nth) => {
        const file = join(engine.folder, `${String(index).padStart(8, "0")}-${nth}.parquet`);
        return { key, of: group.of, file };
      }),
  );
  await concurrently(partitions, TRANSFERS, async ({ key, file }) => {
    if (!(await download(store, key, file)))
      throw new EtlError(`${key} is missing: was it removed? Start the run again`);
  });
  const written: ShardResult = {
    ...{ files: [], rows: 0, rejected: 0, rejects: [] },
    ...{ duplicates: 0, impressions_left_out: 0, event_types: {}, checks: [], items: [] },
  };
  if (partitions.length > 0) {
    const mine = partitions.every((partition) => partition.of >= of) ? "true" : `shard_of(__id, ${of}) = ${shard}`;
    const files = literals(partitions.map(({ file }) => file));
    await engine.run(sql("kept", { mine, files })).catch((error: Error) => {
      const broken = partitions.find(({ file }) => error.message.includes(file));
      throw broken ? new EtlError(`${broken.key} cannot be read: was it changed? ${error.message}`) : error;
    });
    const schema = definitions.schemas.interaction;
    const leavesOut = (name: string) => name === "IMPRESSION" && mode === "init";
    const cells = schema.fields.map(({ name }) => `${leavesOut(name) ? "NULL AS " : ""}${identifier(name)}`);
    const file = await writeRows(engine, store, runKeys(run).interactions(shard), (to) =>
      csv(schema, `SELECT ${cells.join(", ")} FROM kept`, to),
    );
    const { impressions, ...counts } = await countEvents(checks, engine);
    const [dropped] = await allRows(engine, "SELECT count(*)::DOUBLE AS n FROM dropped");
    Object.assign(written, counts, { files: [file], rows: file.rows, duplicates: Number(dropped?.n) });
    if (schema.fields.some(({ name }) => leavesOut(name))) written.impressions_left_out = impressions;
  }
  await writeFile(store, result, written);
  return written;
}
