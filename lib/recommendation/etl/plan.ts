import { createHash } from "node:crypto";
import type { ObjectStore, StoredObject } from "../../aws/object-store.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import type { Definitions } from "../records/layout.ts";
import { runKeys, sharedKeys } from "./keys.ts";
import { Day, findFile, type ScanTask, type TransformTask, writeFile } from "./run-files.ts";
import { daysUntil, digest, type EventCheck, type RunSettings, schemaHash, type TrainingMode } from "./settings.ts";
import type { TableSource } from "./table-source.ts";

/**
 * The most bytes (as stored, compressed or not) and objects in a group. A single larger object is a group of its own.
 */
const GROUP_BYTES = 64 * 1_024 * 1_024;
const GROUP_OBJECTS = 500;

/** The bytes of events, as stored, for which each group is split into another partition, and the most partitions. */
const PARTITION_BYTES = 256 * 1_024 * 1_024;
const MAX_PARTITIONS = 512;

/** The bytes of a table that one scan segment reads, and the most segments. */
const SCAN_BYTES = 256 * 1_024 * 1_024;
const MAX_SCANS = 16;

/** How many days to list in parallel. */
const LISTINGS = 8;

export interface PlanInput {
  run: string;
  /** When the run started, in ISO 8601. Its day is the last one read, even if a step is repeated after midnight. */
  startedAt: string;
  mode: TrainingMode;
  checks: readonly EventCheck[];
  /** How many days of events to read. */
  logLookbackDays: number;
  /** How many days to transform again, even if nothing has changed. */
  forceReprocessLookbackDays: number;
}

/** The counts and keys of the lists. The lists are in the bucket, because the state of an execution is limited. */
export interface PlanOutput {
  groups: number;
  groupsKey: string;
  scans: number;
  scansKey: string;
}

/**
 * Finds the days whose objects differ from those covered by their marker, splits them into groups, and writes the tasks
 * for the next steps. Skips groups that are already transformed, so a run resumes the work of an interrupted one.
 */
export async function plan(
  input: PlanInput,
  store: ObjectStore,
  tables: TableSource,
  definitions: Definitions,
  options: { partitionBytes?: number } = {},
): Promise<PlanOutput> {
  const keys = runKeys(input.run);
  const schema = schemaHash(definitions);
  const days = daysUntil(input.startedAt, input.logLookbackDays);
  const forced = new Set(daysUntil(input.startedAt, input.forceReprocessLookbackDays));
  const listed = await concurrently(days, LISTINGS, async (day) => {
    const objects: StoredObject[] = [];
    for await (const object of store.list(sharedKeys.events(day))) if (object.size > 0) objects.push(object);
    return { day, objects };
  });
  const bytes = listed.flatMap(({ objects }) => objects).reduce((sum, { size }) => sum + size, 0);
  const of = Math.min(MAX_PARTITIONS, powerOfTwo(bytes / (options.partitionBytes ?? PARTITION_BYTES)));
  const planned = await concurrently(listed, LISTINGS, ({ day, objects }) =>
    planDay(store, { run: input.run, day, objects, schema, of, forced: forced.has(day) }),
  );
  const tasks = planned.flatMap(({ tasks }) => tasks);
  const scans = [...(await scansOf("user", input.run, tables)), ...(await scansOf("item", input.run, tables))];
  const settings: RunSettings = { mode: input.mode, checks: [...input.checks], days, schema_hash: schema, definitions };
  await writeFile(store, keys.settings, settings);
  await writeFile(
    store,
    keys.days,
    planned.map(({ day }) => day),
  );
  await writeFile(store, keys.scans, scans);
  await writeFile(store, keys.groups, tasks);
  return { groups: tasks.length, groupsKey: keys.groups, scans: scans.length, scansKey: keys.scans };
}

/** Returns the smallest power of two that is not less than a number. */
export function powerOfTwo(number: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(number)));
}

interface DayToPlan {
  run: string;
  day: string;
  objects: readonly StoredObject[];
  schema: string;
  of: number;
  forced: boolean;
}

async function planDay(
  store: ObjectStore,
  { run, day, objects, schema, of, forced }: DayToPlan,
): Promise<{ day: Day; tasks: TransformTask[] }> {
  const whole = createHash("sha256").update(schema);
  const groups: TransformTask[] = [];
  let open: StoredObject[] = [];
  let bytes = 0;
  const close = () => {
    if (open.length === 0) return;
    const covers = open.map(({ key, etag }) => [key, etag]);
    const keys = open.map(({ key }) => key);
    groups.push({ task: "transform", run, day, digest: digest([schema, covers, of]), objects: keys, of });
    open = [];
    bytes = 0;
  };
  for (const object of objects) {
    whole.update(JSON.stringify([object.key, object.etag]));
    if (open.length === GROUP_OBJECTS || (open.length > 0 && bytes + object.size > GROUP_BYTES)) close();
    open.push(object);
    bytes += object.size;
  }
  close();
  const planned: Day = { day, digest: whole.digest("hex").slice(0, 24), groups: groups.map(({ digest }) => digest) };
  if (forced) return { day: planned, tasks: groups };
  const marker = await findFile(store, sharedKeys.marker(day), Day);
  // The groups of the marker, because the number of partitions may have changed.
  if (marker?.digest === planned.digest) return { day: marker, tasks: [] };
  const done = new Set<string>();
  for await (const { key } of store.list(sharedKeys.groups(day))) done.add(key);
  return { day: planned, tasks: groups.filter(({ digest }) => !done.has(sharedKeys.group(day, digest))) };
}

async function scansOf(dataset: ScanTask["dataset"], run: string, tables: TableSource): Promise<ScanTask[]> {
  const of = Math.min(MAX_SCANS, Math.max(1, Math.ceil((await tables.size(dataset)) / SCAN_BYTES)));
  return Array.from({ length: of }, (_, segment) => ({
    task: "scan",
    run,
    dataset,
    segment,
    of,
    part: 0,
    start: null,
    done: false,
  }));
}
