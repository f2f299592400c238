import * as v from "valibot";
import { type ObjectStore, readText } from "../../aws/object-store.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { EtlError } from "./etl-error.ts";
import { runKeys, sharedKeys } from "./keys.ts";
import { powerOfTwo } from "./plan.ts";
import { Day, type DeduplicateTask, findFile, GroupResult, readFile, writeFile } from "./run-files.ts";

/** The most rows of a shard. */
const SHARD_ROWS = 16_000_000;

/**
 * The most bytes of a shard, as text. Its file must be smaller than the 5 GB that S3 takes in one call, and the function's
 * disk must hold the shard twice.
 */
const SHARD_BYTES = 3 * 1_024 ** 3;

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
  options: { shardRows?: number; shardBytes?: number } = {},
): Promise<CollectOutput> {
  const keys = runKeys(run);
  const days = await readFile(store, keys.days, v.array(Day));
  const groups = days.flatMap(({ day, groups }) => groups.map((digest) => ({ day, digest })));
  const results = await concurrently(groups, READS, ({ day, digest }) =>
    findFile(store, sharedKeys.group(day, digest), GroupResult),
  );
  const missing = groups.filter((_, index) => !results[index]);
  if (missing.length > 0) throw await failure(store, missing, groups.length);

  const found = results.flatMap((result) => result ?? []);
  const rows = found.reduce((sum, result) => sum + result.rows, 0);
  const bytes = found.reduce((sum, result) => sum + result.bytes, 0);
  const of = powerOfTwo(
    Math.max(rows / (options.shardRows ?? SHARD_ROWS), bytes / (options.shardBytes ?? SHARD_BYTES)),
  );
  const tasks: DeduplicateTask[] = Array.from({ length: of }, (_, shard) => ({ task: "deduplicate", run, shard, of }));
  await writeFile(
    store,
    keys.partitions,
    found.map(({ of, files }) => ({ of, files })),
  );
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
