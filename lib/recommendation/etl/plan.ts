import type * as v from "valibot";
import { listed, type ObjectStore, removeOthers, type StoredObject } from "../../aws/object-store.ts";
import { shortHash } from "../../core/naming/shorten.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { sum } from "../../core/sum.ts";
import type { TableSource } from "../clients/dynamo-tables.ts";
import type { Definitions } from "../records/layout.ts";
import { findFile, readFile, readResults, runKeys, sharedKeys, TRANSFERS, writeFile } from "./run-files.ts";
import { GroupResult, RunPlan, ScanTask, type Task } from "./tasks.ts";

/**
 * The most bytes (as stored, compressed or not) and objects in a group. A single larger object is a group of its own.
 */
const GROUP_BYTES = 64 * 1_024 * 1_024;
const GROUP_OBJECTS = 500;

/** The unpacked bytes of events of a shard: the function's disk holds them twice, and S3 takes them in one call (5 GB). */
const SHARD_BYTES = 4 * 1_024 ** 3;

/**
 * The bytes of events, as stored, for each partition. Unpacked, they are as large as a shard or, with ids that compress
 * better, several shards, which then read the same partition.
 */
const PARTITION_BYTES = 256 * 1_024 * 1_024;

/** The most partitions of a group. */
const MAX_PARTITIONS = 512;

/** The bytes of a table that one scan segment reads, and the most segments. */
const SEGMENT_BYTES = 256 * 1_024 * 1_024;
const MAX_SEGMENTS = 16;

/** The version of the row format. It is part of every digest: increasing it makes ETL transform all events again. */
const ROW_FORMAT = 4;

/** How many days of events to read, and to transform again even if nothing has changed. */
interface Lookbacks {
  logLookbackDays: number;
  forceReprocessLookbackDays: number;
}

/**
 * Splits the objects of all days into groups and writes the tasks of the first map. Returns the key of the list, which is
 * in the bucket because the state of an execution is limited. Skips groups whose result exists, so that a run transforms
 * only what is new or changed, and resumes the work of an interrupted one.
 */
export async function plan(
  { run, startedAt, mode, checks, logLookbackDays, forceReprocessLookbackDays }: Omit<Task<"plan">, "task"> & Lookbacks,
  store: ObjectStore,
  tables: TableSource,
  definitions: Definitions,
  { partitionBytes = PARTITION_BYTES } = {},
): Promise<{ tasksKey: string }> {
  const keys = runKeys(run);
  // What an earlier attempt with this name has left: finish takes all that it finds.
  await removeOthers(store, keys.root, new Set());
  const schema = schemaHash(definitions);
  const days = daysUntil(startedAt, logLookbackDays);
  const forced = new Set(daysUntil(startedAt, forceReprocessLookbackDays));
  const done = new Set<string>();
  const objects = await concurrently(days, TRANSFERS, async (day) => {
    if (!forced.has(day)) for (const { key } of await listed(store, sharedKeys.groups(day))) done.add(key);
    return (await listed(store, sharedKeys.events(day))).filter(({ size }) => size > 0);
  });
  const bytes = sum(objects.flat(), ({ size }) => size);
  const of = Math.min(MAX_PARTITIONS, powerOfTwo(bytes / partitionBytes));
  const groups = days.flatMap((day, index) =>
    split(objects[index] ?? []).map((group): Task<"transform"> => {
      const result = sharedKeys.group(day, digest([schema, group.map(({ key, etag }) => [key, etag])]));
      return { task: "transform", run, result, objects: group.map(({ key }) => key), of };
    }),
  );
  const segments: v.InferInput<typeof ScanTask>[] = [];
  for (const dataset of ["user", "item"] as const) {
    const of = Math.min(MAX_SEGMENTS, Math.max(1, Math.ceil((await tables.size(dataset)) / SEGMENT_BYTES)));
    for (let segment = 0; segment < of; segment += 1)
      segments.push({ task: "scan", run, result: keys.segment(dataset, segment), dataset, segment, of });
  }
  const resultsOf = (tasks: readonly { result: string }[]) => tasks.map(({ result }) => result);
  const planned = { mode, checks, days, definitions, groups: resultsOf(groups), segments: resultsOf(segments) };
  await writeFile(store, keys.plan, planned satisfies RunPlan);
  await writeFile(store, keys.reads, [...groups.filter(({ result }) => !done.has(result)), ...segments]);
  return { tasksKey: keys.reads };
}

/**
 * Runs between the maps and writes the tasks of the second. Fails with the reasons if a group or segment was not read.
 * Splits by the unpacked size of the events, because stored sizes tell little about it.
 */
export async function splitShards(
  run: string,
  store: ObjectStore,
  { shardBytes = SHARD_BYTES } = {},
): Promise<{ tasksKey: string }> {
  const keys = runKeys(run);
  const plan = await readFile(store, keys.plan, RunPlan);
  const groups = await readResults(store, plan.groups, "groups of events were not transformed", (key) =>
    findFile(store, key, GroupResult),
  );
  const segments = await readResults(store, plan.segments, "table segments were not read to their end", (key) =>
    findFile(store, key, ScanTask),
  );
  const of = powerOfTwo(sum(groups, ({ bytes }) => bytes) / shardBytes);
  const shards = Array.from({ length: of }, (_, shard): Task<"deduplicate"> => {
    return { task: "deduplicate", run, result: keys.shard(shard), shard, of };
  });
  await writeFile(store, keys.read, { groups, segments, shards: of });
  await writeFile(store, keys.shards, shards);
  return { tasksKey: keys.shards };
}

/** Returns the smallest power of two that is not less than a number. */
export function powerOfTwo(number: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(number)));
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
export function schemaHash({ schemas, etl }: Definitions): string {
  return digest([ROW_FORMAT, schemas.interaction, etl.interaction]);
}

const digest = (value: unknown) => shortHash(JSON.stringify(value), 24);

/** Returns `count` days in UTC, oldest first. The last one is the day of `time`. */
export function daysUntil(time: string, count: number): string[] {
  const day = (ago: number) => new Date(Date.parse(time) - ago * 86_400_000).toISOString().slice(0, 10);
  return [...new Array(count).keys()].map(day).reverse();
}
