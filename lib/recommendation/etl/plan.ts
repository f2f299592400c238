import type * as v from "valibot";
import { listed, type ObjectStore, removeOthers, type StoredObject } from "../../platform/aws/object-store.ts";
import { PROFILE_DATASETS } from "../../platform/contract/recommendation.ts";
import { shortHash } from "../../platform/naming/names.ts";
import { concurrently } from "../../platform/resilience/concurrently.ts";
import { sum } from "../../platform/sum.ts";
import type { TableSource } from "../clients/dynamo-tables.ts";
import type { Definitions } from "../records/layout.ts";
import { runKeys, sharedKeys, TRANSFERS, writeFile } from "./run-files.ts";
import type { BuiltInTask, EtlSettings, RunPlan, ScanTask, Task } from "./tasks.ts";

/**
 * The most bytes (as stored, compressed or not) and the most objects in a group. A larger object is a group of its own.
 */
const GROUP_BYTES = 64 * 1_024 * 1_024;
const GROUP_OBJECTS = 500;

/**
 * Target size of a shard, and of a partition of a group, in bytes of events as stored. An event takes at least 16 bytes
 * (gzip, sequential ids), so a shard has at most 16 million events. Its file of about 2 GB must fit into one call to S3
 * (5 GB).
 */
const SHARD_BYTES = 256 * 1_024 * 1_024;

/** The numbers of shards and of partitions: powers of two, so that any two of them divide each other. */
const SHARDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Bytes of a table per scan segment, and the most segments. */
const SEGMENT_BYTES = 256 * 1_024 * 1_024;
const MAX_SEGMENTS = 16;

/** The version of the row format. It is part of every digest: increasing it makes ETL transform all events again. */
const ROW_FORMAT = 8;

/**
 * Splits the objects of all days into groups, and their events into shards, and writes the tasks of both maps. Returns the
 * keys of the lists, which are in the bucket because the state of an execution is limited. Skips groups whose result
 * exists, so that a run transforms only what is new or changed, and resumes the work of an interrupted one. `forcedDays`
 * days are transformed again even if nothing has changed.
 */
export async function plan(
  { run, startedAt, mode, checks }: Omit<Task<"plan">, "task">,
  { lookbackDays, forcedDays }: { lookbackDays: number; forcedDays: number },
  store: ObjectStore,
  tables: TableSource,
  { event_types, ...definitions }: EtlSettings,
  { shardBytes = SHARD_BYTES } = {},
): Promise<{ readsKey: string; shardsKey: string; engineKey: string }> {
  const keys = runKeys(run);
  // Removes results of an earlier attempt with this run name, because finish reads all files in the folder.
  await removeOthers(store, keys.root, new Set());
  const schema = schemaHash(definitions);
  const days = daysUntil(startedAt, lookbackDays);
  const forced = new Set(daysUntil(startedAt, forcedDays));
  const done = new Set<string>();
  const objects = await concurrently(days, TRANSFERS, async (day) => {
    if (!forced.has(day)) for (const { key } of await listed(store, sharedKeys.groups(day))) done.add(key);
    return (await listed(store, sharedKeys.events(day))).filter(({ size }) => size > 0);
  });
  const bytes = sum(objects.flat(), ({ size }) => size);
  const of = SHARDS.find((count) => count * shardBytes >= bytes) ?? 512;
  const groups = days.flatMap((day, index) =>
    split(objects[index] ?? []).map((group): Task<"transform"> => {
      const hash = digest([schema, group.map(({ key, etag }) => [key, etag])]);
      // An earlier run may have split the same objects into another number of partitions.
      const earlier = SHARDS.map((count) => sharedKeys.group(day, hash, count)).find((key) => done.has(key));
      const result = earlier ?? sharedKeys.group(day, hash, of);
      return { task: "transform", run, result, objects: group.map(({ key }) => key) };
    }),
  );
  const segments: v.InferInput<typeof ScanTask>[] = [];
  for (const dataset of PROFILE_DATASETS) {
    const of = Math.min(MAX_SEGMENTS, Math.max(1, Math.ceil((await tables.size(dataset)) / SEGMENT_BYTES)));
    for (let segment = 0; segment < of; segment += 1)
      segments.push({ task: "scan", run, result: keys.segment(dataset, segment), dataset, segment, of });
  }
  const shards = Array.from({ length: of }, (_, shard): Task<"deduplicate"> => {
    return { task: "deduplicate", run, result: keys.shard(shard), shard, of };
  });
  const resultsOf = (tasks: readonly { result: string }[]) => tasks.map(({ result }) => result);
  const results = { groups: resultsOf(groups), segments: resultsOf(segments), shards: resultsOf(shards) };
  await writeFile(store, keys.plan, {
    ...{ mode, checks, days, definitions, ...results },
    ...(event_types && { event_types }),
  } satisfies RunPlan);
  await writeFile(store, keys.reads, [...groups.filter(({ result }) => !done.has(result)), ...segments]);
  await writeFile(store, keys.shards, shards);
  const engine: v.InferInput<typeof BuiltInTask> = { task: "built-in", run, result: keys.builtIn };
  await writeFile(store, keys.engine, [engine]);
  return { readsKey: keys.reads, shardsKey: keys.shards, engineKey: keys.engine };
}

function split(objects: readonly StoredObject[]): StoredObject[][] {
  const groups: StoredObject[][] = [];
  let bytes = GROUP_BYTES;
  for (const object of objects) {
    bytes += object.size;
    if (bytes > GROUP_BYTES || groups.at(-1)?.length === GROUP_OBJECTS) {
      groups.push([]);
      bytes = object.size;
    }
    groups.at(-1)?.push(object);
  }
  return groups;
}

/** Returns a hash that changes with the format of rows, the interactions schema or its source columns. */
export function schemaHash({ schemas, etl, refuse }: Definitions): string {
  return digest([ROW_FORMAT, schemas.interaction, etl.interaction, refuse]);
}

const digest = (value: unknown) => shortHash(JSON.stringify(value), 24);

/** Returns `count` days in UTC, oldest first. The last one is the day of `time`. */
export function daysUntil(time: string, count: number): string[] {
  const day = (ago: number) => new Date(Date.parse(time) - ago * 86_400_000).toISOString().slice(0, 10);
  return [...new Array(count).keys()].map(day).reverse();
}
