import * as v from "valibot";
import { type ObjectStore, readText } from "../../aws/object-store.ts";
import { EtlError } from "./etl-error.ts";

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The events of one day, and the groups into which they are split. */
export const Day = v.strictObject({
  day: v.string(),
  /** Digest of the schema, and of the keys and ETags of the day's objects. */
  digest: v.string(),
  groups: v.array(v.string()),
});

/** The objects that one call transforms. It is an item of the first map step and the input of the call. */
export const TransformTask = v.strictObject({
  task: v.literal("transform"),
  run: v.string(),
  day: v.string(),
  digest: v.string(),
  objects: v.array(v.string()),
  /** Number of partitions, a power of two. */
  of: v.pipe(Count, v.minValue(1)),
});

/** The files of a group and the number of its partitions. A partition without rows has no file. */
const GroupFiles = {
  of: v.pipe(Count, v.minValue(1)),
  files: v.array(v.strictObject({ key: v.string(), partition: Count })),
};

/** The result of transforming a group. Its existence means that the files are complete. */
export const GroupResult = v.strictObject({
  rows: Count,
  rejected: Count,
  /** Size of the objects, unpacked. The CSV rows of their events are smaller. */
  bytes: Count,
  ...GroupFiles,
  rejects: v.array(v.string()),
});

/** The groups of a run, in the order of days and objects. */
export const Partitions = v.array(v.strictObject(GroupFiles));

/** A shard: one part of the events, split by EVENT_ID. It is an item of the second map step. */
export const DeduplicateTask = v.strictObject({
  task: v.literal("deduplicate"),
  run: v.string(),
  shard: Count,
  of: v.pipe(Count, v.minValue(1)),
});

/** A file that Personalize imports. */
export const ImportFile = v.strictObject({ key: v.string(), rows: Count, bytes: Count });

/** The events of a shard that a check counts, and how many of them each user has, at most 2, with the user's hash. */
const CheckSample = v.strictObject({
  interactions: Count,
  users: v.array(v.tuple([v.string(), Count, v.number()])),
  /** Only users whose hash is below this bound are listed. Null means that all users are. */
  below: v.nullable(v.number()),
});

/** The content of a shard without duplicates. */
export const ShardResult = v.strictObject({
  files: v.array(ImportFile),
  rows: Count,
  duplicates: Count,
  /** In mode init: number of rows whose IMPRESSION was omitted. */
  impressions_left_out: v.optional(Count, 0),
  event_types: v.record(v.string(), Count),
  checks: v.array(CheckSample),
  /** The shard's most frequent items. */
  items: v.array(v.tuple([v.string(), Count])),
});

/** A segment of a table to read. It is an item of the third map step. Each call advances `part` and `start`. */
export const ScanTask = v.strictObject({
  task: v.literal("scan"),
  run: v.string(),
  dataset: v.picklist(["user", "item"]),
  segment: Count,
  of: v.pipe(Count, v.minValue(1)),
  part: Count,
  /** Key of the last record read, as the table returned it. Null at the start. */
  start: v.nullable(v.record(v.string(), v.unknown())),
  done: v.boolean(),
});

/** The result of one call of a scan. */
export const ScanResult = v.strictObject({
  file: v.nullable(ImportFile),
  rows: Count,
  rejected: Count,
  rejects: v.nullable(v.string()),
  done: v.boolean(),
});

export type ImportFile = v.InferOutput<typeof ImportFile>;
export type Day = v.InferOutput<typeof Day>;
export type TransformTask = v.InferOutput<typeof TransformTask>;
export type GroupResult = v.InferOutput<typeof GroupResult>;
export type DeduplicateTask = v.InferOutput<typeof DeduplicateTask>;
export type ShardResult = v.InferOutput<typeof ShardResult>;
export type ScanTask = v.InferOutput<typeof ScanTask>;
export type ScanResult = v.InferOutput<typeof ScanResult>;

/** Reads a file of a run. Undefined if it does not exist. Throws EtlError if it does not match the schema. */
export async function findFile<T>(
  store: ObjectStore,
  key: string,
  schema: v.GenericSchema<unknown, T>,
): Promise<T | undefined> {
  const text = await readText(store, key);
  if (text === undefined) return undefined;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);
  if (read.success) return read.output;
  throw new EtlError(`${key} is not what this version of ETL writes: ${v.summarize(read.issues)}`);
}

/** Reads a file that an earlier step of the run wrote. Throws EtlError if it is missing or invalid. */
export async function readFile<T>(store: ObjectStore, key: string, schema: v.GenericSchema<unknown, T>): Promise<T> {
  const content = await findFile(store, key, schema);
  if (content === undefined) throw new EtlError(`${key} is missing: was the step before it run?`);
  return content;
}

/** Writes a file of a run. */
export function writeFile(store: ObjectStore, key: string, content: unknown): Promise<void> {
  return store.write(key, JSON.stringify(content));
}
