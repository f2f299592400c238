import * as v from "valibot";
import { PROFILE_DATASETS } from "../../platform/contract/recommendation.ts";
import { EventTypeChoice } from "../../settings/event-types.ts";
import { TRAINING_MODES } from "../../settings/recipes.ts";
import { Definitions } from "../records/layout.ts";

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Parts = v.pipe(v.number(), v.integer(), v.minValue(1));
/** The name of an execution, which also names the run's folder. Source: Step Functions API reference. */
const Run = v.pipe(v.string(), v.regex(/^[\w-]{1,80}$/, "must be 1 to 80 letters, digits, hyphens and underscores"));
/** Members of every map item: its run, and the key of the result that it writes last. */
const item = { run: Run, result: v.string() };

/** The events that a recipe will learn from, which ETL counts. Without an event type, all types count. */
export const EventCheck = v.strictObject({
  /** The recipe. */
  name: v.string(),
  event_type: v.optional(v.string()),
  /** The lowest EVENT_VALUE of an event that counts. */
  event_value_threshold: v.optional(v.pipe(v.number(), v.finite())),
});

const settings = { mode: v.picklist(TRAINING_MODES), checks: v.array(EventCheck) };

/** An item of the first map: a segment of a table. Each call advances `part` and `start`, and adds to the counts. */
export const ScanTask = v.strictObject({
  task: v.literal("scan"),
  ...item,
  dataset: v.picklist(PROFILE_DATASETS),
  segment: Count,
  of: Parts,
  part: v.optional(Count, 0),
  /** Key of the last record read, as the table returned it. Null at the start. */
  start: v.optional(v.nullable(v.record(v.string(), v.unknown())), null),
  rows: v.optional(Count, 0),
  rejected: v.optional(Count, 0),
  done: v.optional(v.boolean(), false),
});

/** The model of the items' lists, and what chose it. */
export const Model = v.object({
  /** Factors of items; 0 if the lists are neighbours by common users. */
  factors: Count,
  /** Users whose newest items chose the model. */
  users: Count,
  /** The NDCG@25 that the best factors have more than neighbours. Absent if there are too few users to tell. */
  over: v.optional(v.object({ mean: v.number(), low: v.number(), high: v.number() })),
});

export type Model = v.InferOutput<typeof Model>;

/** The only item of the third map, which trains the built-in engine. Each call advances `at`, and adds to the counts. */
export const BuiltInTask = v.strictObject({
  task: v.literal("built-in"),
  ...item,
  /** Number of items, then users, that are done. */
  at: v.optional(Count, 0),
  items: v.optional(Count, 0),
  by_text: v.optional(Count, 0),
  /** Chosen in the first call. */
  model: v.optional(Model),
  seconds: v.optional(v.number(), 0),
  done: v.optional(v.boolean(), false),
});

/** The input of the ETL function: one step of a run. */
export const EtlTask = v.variant("task", [
  // `startedAt` is when the execution started, in ISO 8601.
  v.strictObject({ task: v.literal("plan"), run: Run, startedAt: v.pipe(v.string(), v.isoTimestamp()), ...settings }),
  // An item of the first map: the objects of a group, which one call transforms into partitions.
  v.strictObject({ task: v.literal("transform"), ...item, objects: v.array(v.string()) }),
  ScanTask,
  // An item of the second map: a shard, one part of the events of all days, split by EVENT_ID.
  v.strictObject({ task: v.literal("deduplicate"), ...item, shard: Count, of: Parts }),
  v.strictObject({ task: v.literal("finish"), run: Run }),
  BuiltInTask,
]);

/** The settings that the function `etl` reads from the `config.json` beside its bundle. */
export interface EtlSettings extends Definitions {
  /** Default: all event types. */
  event_types?: EventTypeChoice | undefined;
}

/** The settings with which a run started. All its steps use them, so a deployment during the run does not affect it. */
export const RunPlan = v.strictObject({
  ...settings,
  /** The days to read, oldest first. */
  days: v.array(v.string()),
  definitions: Definitions,
  event_types: v.optional(EventTypeChoice),
  /** Keys of the results of all groups, in the order of days and objects, of all segments, and of all shards. */
  groups: v.array(v.string()),
  segments: v.array(v.string()),
  shards: v.array(v.string()),
});

/** The result of a group or segment. Its existence means that the files are complete. */
export const Counts = v.object({ rows: Count, rejected: Count });

/** Part of a group's result: how many rows have each event type, of the most frequent types. */
export const TypeCounts = v.object({ types: v.record(v.string(), Count) });

const Dataset = v.strictObject({
  /** The folder that Personalize imports. It contains only CSV files, each with a header. */
  folder: v.string(),
  files: v.array(v.strictObject({ key: v.string(), bytes: Count })),
  rows: Count,
  rejected: Count,
  /** Keys of files with the rejected rows and the reasons, as lines of JSON. */
  rejects: v.array(v.string()),
});

/** Describes the files of a run. It is written last: a run without a manifest is incomplete and is not imported. */
export const Manifest = v.strictObject({
  run: v.string(),
  mode: settings.mode,
  /** The first day of events that were read; `to` is the last. */
  from: v.string(),
  to: v.string(),
  user: Dataset,
  item: Dataset,
  interaction: Dataset,
  /** Number of events dropped because another event has the same EVENT_ID. */
  duplicates: Count,
  /** In mode init: number of interactions whose IMPRESSION was omitted. */
  impressions_left_out: Count,
  /** Number of imported interactions by event type. */
  event_types: v.record(v.string(), Count),
  /** Number of events by type, for types that are not imported. */
  event_types_left_out: v.optional(v.record(v.string(), Count), {}),
  /**
   * Number of interactions with an unknown item or user, and the most frequent of these items. Zero users if none are
   * stored.
   */
  unknown: v.strictObject({ items: Count, users: Count, examples: v.array(v.string()) }),
  /** By recipe: the events that it would learn from, and the users with at least one or two of them. */
  checks: v.array(v.strictObject({ name: v.string(), interactions: Count, users: Count, users_with_two: Count })),
});

export type EventCheck = v.InferOutput<typeof EventCheck>;
export type EtlTask = v.InferOutput<typeof EtlTask>;
export type RunPlan = v.InferOutput<typeof RunPlan>;
export type Manifest = v.InferOutput<typeof Manifest>;

/** One of the tasks. */
export type Task<Name extends EtlTask["task"]> = Extract<EtlTask, { task: Name }>;
