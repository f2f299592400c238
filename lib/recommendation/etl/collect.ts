import * as v from "valibot";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { EtlError } from "./etl-error.ts";
import { shardCount } from "./event-hash.ts";
import { runKeys, sharedKeys } from "./keys.ts";
import { type ObjectStore, readText } from "./object-store.ts";
import { Day, type DeduplicateTask, findFile, GroupResult, readFile, type Segments, writeFile } from "./run-files.ts";

/** Rows in a shard. One call keeps their ids in memory, about 150 MB. Duplicates add rows, but no ids. */
const ROWS_PER_SHARD = 1_000_000;

const READS = 16;

export interface CollectOutput {
  rows: number;
  shards: number;
  shardsKey: string;
}

/**
 * Runs after the groups are transformed. The map step tolerates failures, so this step fails with the reasons if any
 * group is missing. Otherwise it plans the shards and marks the days as done.
 */
export async function collect(
  run: string,
  store: ObjectStore,
  options: { rowsPerShard?: number } = {},
): Promise<CollectOutput> {
  const keys = runKeys(run);
  const days = await readFile(store, keys.days, v.array(Day));
  const groups = days.flatMap(({ day, groups }) => groups.map((digest) => ({ day, digest })));
  const results = await concurrently(groups, READS, ({ day, digest }) =>
    findFile(store, sharedKeys.group(day, digest), GroupResult),
  );
  const missing = groups.filter((_, index) => !results[index]);
  if (missing.length > 0) throw await failure(store, missing, groups.length);

  const segments: Segments = results.flatMap((result) => result?.segments ?? []);
  const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
  const of = shardCount(rows, options.rowsPerShard ?? ROWS_PER_SHARD);
  const tasks: DeduplicateTask[] = Array.from({ length: of }, (_, shard) => ({ task: "deduplicate", run, shard, of }));
  await writeFile(store, keys.segments, segments);
  await writeFile(store, keys.shards, tasks);
  await concurrently(days, READS, async (day) => {
    const marker = await findFile(store, sharedKeys.marker(day.day), Day);
    if (marker?.digest !== day.digest) await writeFile(store, sharedKeys.marker(day.day), day);
  });
  return { rows, shards: of, shardsKey: keys.shards };
}

async function failure(store: ObjectStore, missing: readonly { day: string; digest: string }[], of: number) {
  const reasons = await concurrently(missing.slice(0, 5), READS, async ({ day, digest }) => {
    const reason = await readText(store, sharedKeys.groupError(day, digest));
    return `${day} ${digest}: ${reason ?? "it left no reason; see the function's log"}`;
  });
  return new EtlError(`${missing.length} of ${of} groups of events were not transformed. ${reasons.join("; ")}`);
}
