import * as v from "valibot";
import { EtlError } from "./etl-error.ts";
import { type ObjectStore, readText } from "./object-store.ts";

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The events of one day, and the groups that they were cut into. */
export const Day = v.strictObject({
  day: v.string(),
  /** Of the keys and ETags of the day's objects and of the schema. */
  digest: v.string(),
  groups: v.array(v.string()),
});

/** Objects that one call transforms: an item of the first map, and the call's input. */
export const TransformTask = v.strictObject({
  task: v.literal("transform"),
  run: v.string(),
  day: v.string(),
  digest: v.string(),
  objects: v.array(v.string()),
});

/** What transforming a group gave; says that its segments are complete. */
export const GroupResult = v.strictObject({
  rows: Count,
  rejected: Count,
  segments: v.array(v.strictObject({ key: v.string(), rows: Count, offsets: v.array(Count) })),
  rejects: v.array(v.string()),
});

/** Where the rows of a segment stand. */
export const Segments = v.array(v.strictObject({ key: v.string(), rows: Count, offsets: v.array(Count) }));

/** One part of the events, apart from the others by EVENT_ID: an item of the second map. */
export const DeduplicateTask = v.strictObject({
  task: v.literal("deduplicate"),
  run: v.string(),
  shard: Count,
  of: v.pipe(Count, v.minValue(1)),
});

const File = v.strictObject({ key: v.string(), rows: Count, bytes: Count });

/** Users with events that a check counts: how many such events each has, at most 2. */
const CheckSample = v.strictObject({
  interactions: Count,
  users: v.array(v.tuple([v.string(), Count])),
  /** Only users whose hash is below this are listed; null: all are. */
  below: v.nullable(v.number()),
});

/** What a shard holds after its duplicates are gone. */
export const ShardResult = v.strictObject({
  files: v.array(File),
  rows: Count,
  duplicates: Count,
  /** Rows whose IMPRESSION was left out, in mode init. */
  impressions_left_out: v.optional(Count, 0),
  event_types: v.record(v.string(), Count),
  checks: v.array(CheckSample),
  /** The shard's most frequent items. */
  items: v.array(v.tuple([v.string(), Count])),
});

/** A part of a table that one call reads: an item of the third map. `part` and `start` move on from call to call. */
export const ScanTask = v.strictObject({
  task: v.literal("scan"),
  run: v.string(),
  dataset: v.picklist(["user", "item"]),
  segment: Count,
  of: v.pipe(Count, v.minValue(1)),
  part: Count,
  /** Key of the last record read, in the table's own form; null at the start. */
  start: v.nullable(v.record(v.string(), v.unknown())),
  done: v.boolean(),
});

/** What one call of a scan gave. */
export const ScanResult = v.strictObject({
  file: v.nullable(File),
  rows: Count,
  rejected: Count,
  rejects: v.nullable(v.string()),
  done: v.boolean(),
});

export type Day = v.InferOutput<typeof Day>;
export type TransformTask = v.InferOutput<typeof TransformTask>;
export type GroupResult = v.InferOutput<typeof GroupResult>;
export type Segments = v.InferOutput<typeof Segments>;
export type DeduplicateTask = v.InferOutput<typeof DeduplicateTask>;
export type ShardResult = v.InferOutput<typeof ShardResult>;
export type ScanTask = v.InferOutput<typeof ScanTask>;
export type ScanResult = v.InferOutput<typeof ScanResult>;

/** Reads a file of a run; undefined when it is not there. Throws EtlError when it is of another form. */
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

/** Reads a file of a run that an earlier step has written. */
export async function readFile<T>(store: ObjectStore, key: string, schema: v.GenericSchema<unknown, T>): Promise<T> {
  const content = await findFile(store, key, schema);
  if (content === undefined) throw new EtlError(`${key} is missing: was the step before it run?`);
  return content;
}

/** Writes a file of a run. */
export function writeFile(store: ObjectStore, key: string, content: unknown): Promise<void> {
  return store.write(key, JSON.stringify(content));
}
