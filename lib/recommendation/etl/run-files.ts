import * as v from "valibot";
import { type ObjectStore, readText } from "../../aws/object-store.ts";
import { TRAINING_MODES } from "../../config/solution.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import { Definitions } from "../records/layout.ts";
import { EtlError } from "./etl-error.ts";
import { EventCheck } from "./settings.ts";

export const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Parts = v.pipe(v.number(), v.integer(), v.minValue(1));
/** The name of an execution, which also names the run's folder. Source: Step Functions API reference. */
const Run = v.pipe(v.string(), v.regex(/^[\w-]{1,80}$/, "must be 1 to 80 letters, digits, hyphens and underscores"));
/** What the items of maps have in common: their run, and the key of the result that they write last. */
const item = { run: Run, result: v.string() };
/** The numbers of rows that calls wrote and rejected. */
const rows = { rows: Count, rejected: Count };
const settings = { mode: v.picklist(TRAINING_MODES), checks: v.array(EventCheck) };

/** An item of the first map: the objects that one call transforms. */
export const TransformTask = v.strictObject({
  task: v.literal("transform"),
  ...item,
  objects: v.array(v.string()),
  /** Number of partitions, a power of two. */
  of: Parts,
});

/** The result of reading a segment of a table. */
export const ScanResult = v.strictObject({ dataset: v.picklist(["user", "item"]), ...rows });

/** An item of the first map: a segment of a table. Each call advances `part` and `start`, and adds to the counts. */
export const ScanTask = v.strictObject({
  task: v.literal("scan"),
  ...item,
  ...ScanResult.entries,
  segment: Count,
  of: Parts,
  part: Count,
  /** Key of the last record read, as the table returned it. Null at the start. */
  start: v.nullable(v.record(v.string(), v.unknown())),
  done: v.boolean(),
});

/** An item of the second map: a shard, one part of the events of all days, split by EVENT_ID. */
export const DeduplicateTask = v.strictObject({ task: v.literal("deduplicate"), ...item, shard: Count, of: Parts });

/** The input of the ETL function: one step of a run. */
export const EtlTask = v.variant("task", [
  v.strictObject({
    task: v.literal("plan"),
    run: Run,
    /** When the execution started, in ISO 8601. */
    startedAt: v.pipe(v.string(), v.isoTimestamp()),
    ...settings,
  }),
  TransformTask,
  ScanTask,
  v.strictObject({ task: v.literal("split"), run: Run }),
  DeduplicateTask,
  v.strictObject({ task: v.literal("finish"), run: Run }),
]);

/** The settings with which a run started. All its steps use them, so a deployment during the run does not affect it. */
export const RunPlan = v.strictObject({
  ...settings,
  /** The days to read, oldest first. */
  days: v.array(v.string()),
  definitions: Definitions,
  /** Keys of the results of all groups, in the order of days and objects, and of all segments. */
  groups: v.array(v.string()),
  segments: v.array(v.string()),
});

/** The result of transforming a group. Its existence means that the files are complete. */
export const GroupResult = v.strictObject({
  /** Its own key. */
  key: v.string(),
  ...rows,
  /** The size of its objects, unpacked. */
  bytes: Count,
  /** The number of partitions, and those that have rows and so a file. */
  of: Parts,
  partitions: v.array(Count),
});

/** What the first map has read, and the number of shards that it is split into. */
export const ReadData = v.strictObject({ groups: v.array(GroupResult), segments: v.array(ScanResult), shards: Parts });

export type TransformTask = v.InferOutput<typeof TransformTask>;
export type ScanTask = v.InferOutput<typeof ScanTask>;
export type DeduplicateTask = v.InferOutput<typeof DeduplicateTask>;
export type EtlTask = v.InferOutput<typeof EtlTask>;
export type RunPlan = v.InferOutput<typeof RunPlan>;
export type GroupResult = v.InferOutput<typeof GroupResult>;

/** How many objects to transfer in parallel. */
export const TRANSFERS = 16;

/** Adds up a number of each value. */
export function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}

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

/** Returns the key where a map's item leaves the reason why it has no result. */
export const errorKey = (result: string) => `${result.slice(0, result.lastIndexOf(".") + 1)}error.txt`;

/**
 * Reads the results of a map's items with `read`. The map steps tolerate failures, so this throws EtlError with the
 * reasons if any result is missing. `failed` says what happened to those.
 */
export async function readResults<T>(
  store: ObjectStore,
  keys: readonly string[],
  failed: string,
  read: (key: string) => Promise<T | undefined>,
): Promise<T[]> {
  const results = await concurrently(keys, TRANSFERS, read);
  const missing = keys.filter((_, index) => results[index] === undefined);
  if (missing.length === 0) return results.flatMap((result) => result ?? []);
  const reasons = await concurrently(missing.slice(0, 5), TRANSFERS, async (key) => {
    const name = key.replace(/^.*\/(?:days|results)\/|\.\w+$/g, "");
    return `${name}: ${(await readText(store, errorKey(key))) ?? "it left no reason; see the function's log"}`;
  });
  throw new EtlError(`${missing.length} of ${keys.length} ${failed}. ${reasons.join("; ")}`);
}
