import type { ObjectStore, StoredObject } from "../../aws/object-store.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { runKeys, sharedKeys } from "./keys.ts";
import {
  type DeduplicateTask,
  type EtlTask,
  type RunPlan,
  type ScanTask,
  TRANSFERS,
  type TransformTask,
  writeFile,
} from "./run-files.ts";
import type { TableSource } from "./scan.ts";
import { type DefinitionFiles, daysUntil, digest, schemaHash } from "./settings.ts";

/**
 * The most bytes (as stored, compressed or not) and objects in a group. A single larger object is a group of its own.
 */
const GROUP_BYTES = 64 * 1_024 * 1_024;
const GROUP_OBJECTS = 500;

/**
 * The bytes of events, as stored, of a shard. A compressed event takes 16 bytes (ids that count up) to 37 (random ids), so
 * a shard has up to 17 million: the function's disk holds it twice, and S3 takes its file in one call (5 GB).
 */
const SHARD_BYTES = 256 * 1_024 * 1_024;

/** The most partitions of a group. A shard of more is a part of a partition. */
const MAX_PARTITIONS = 512;

/** The bytes of a table that one scan segment reads, and the most segments. */
const SEGMENT_BYTES = 256 * 1_024 * 1_024;
const MAX_SEGMENTS = 16;

/** The task, and how many days of events to read, and to transform again even if nothing has changed. */
export type PlanInput = Omit<Extract<EtlTask, { task: "plan" }>, "task"> & {
  logLookbackDays: number;
  forceReprocessLookbackDays: number;
};

/** The keys of the lists for the maps. They are in the bucket, because the state of an execution is limited. */
export interface PlanOutput {
  readsKey: string;
  shardsKey: string;
}

/**
 * Splits the objects of all days into groups and writes the tasks for the next steps. Skips groups whose result exists, so
 * that a run transforms only what is new or changed, and resumes the work of an interrupted one.
 */
export async function plan(
  { run, startedAt, mode, checks, logLookbackDays, forceReprocessLookbackDays }: PlanInput,
  store: ObjectStore,
  tables: TableSource,
  definitions: DefinitionFiles,
  { shardBytes = SHARD_BYTES } = {},
): Promise<PlanOutput> {
  const keys = runKeys(run);
  const schema = schemaHash(definitions);
  const days = daysUntil(startedAt, logLookbackDays);
  const forced = new Set(daysUntil(startedAt, forceReprocessLookbackDays));
  const listed = await concurrently(days, TRANSFERS, async (day) => {
    const done = new Set<string>();
    const objects: StoredObject[] = [];
    for await (const object of store.list(sharedKeys.events(day))) if (object.size > 0) objects.push(object);
    if (!forced.has(day)) for await (const { key } of store.list(sharedKeys.groups(day))) done.add(key);
    return { day, objects, done };
  });
  const bytes = listed.flatMap(({ objects }) => objects).reduce((sum, { size }) => sum + size, 0);
  const of = powerOfTwo(bytes / shardBytes);
  const groups: TransformTask[] = listed.flatMap(({ day, objects }) =>
    split(objects).map((group) => ({
      task: "transform",
      run,
      result: sharedKeys.group(day, digest([schema, group.map(({ key, etag }) => [key, etag])])),
      objects: group.map(({ key }) => key),
      of: Math.min(MAX_PARTITIONS, of),
    })),
  );
  const segments = [...(await segmentsOf("user", run, tables)), ...(await segmentsOf("item", run, tables))];
  const shards = Array.from(
    { length: of },
    (_, shard): DeduplicateTask => ({ task: "deduplicate", run, result: keys.shard(shard), shard, of }),
  );
  const resultsOf = (tasks: readonly { result: string }[]) => tasks.map(({ result }) => result);
  const planned: RunPlan = {
    mode,
    checks,
    days,
    schema_hash: schema,
    definitions,
    groups: resultsOf(groups),
    shards: resultsOf(shards),
    segments: resultsOf(segments),
  };
  const done = new Set(listed.flatMap((day) => [...day.done]));
  await writeFile(store, keys.plan, planned);
  await writeFile(store, keys.shards, shards);
  await writeFile(store, keys.reads, [...groups.filter(({ result }) => !done.has(result)), ...segments]);
  return { readsKey: keys.reads, shardsKey: keys.shards };
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

async function segmentsOf(dataset: ScanTask["dataset"], run: string, tables: TableSource): Promise<ScanTask[]> {
  const of = Math.min(MAX_SEGMENTS, Math.max(1, Math.ceil((await tables.size(dataset)) / SEGMENT_BYTES)));
  return Array.from({ length: of }, (_, segment) => ({
    task: "scan",
    run,
    result: runKeys(run).segment(dataset, segment),
    dataset,
    segment,
    of,
    part: 0,
    start: null,
    written: { files: [], rows: 0, rejected: 0, rejects: [] },
    done: false,
  }));
}
