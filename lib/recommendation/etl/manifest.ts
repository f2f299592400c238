import * as v from "valibot";
import { runKeys } from "./keys.ts";
import type { ObjectStore } from "./object-store.ts";
import { findFile } from "./run-files.ts";
import { TRAINING_MODES } from "./settings.ts";

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

const Dataset = v.strictObject({
  /** The folder that Personalize imports: CSV files with a header each, and nothing else. */
  folder: v.string(),
  files: v.array(v.strictObject({ key: v.string(), rows: Count, bytes: Count })),
  rows: Count,
  rejected: Count,
  /** Files of JSON lines with the rejected rows and why. */
  rejects: v.array(v.string()),
});

/** What a run made. It is written last: a run without it is not complete and is not imported. */
export const Manifest = v.strictObject({
  version: v.literal(1),
  run: v.string(),
  mode: v.picklist(TRAINING_MODES),
  /** First and last day of events that were read. */
  from: v.string(),
  to: v.string(),
  user: Dataset,
  item: Dataset,
  interaction: Dataset,
  /** Events left out because another one has their EVENT_ID. */
  duplicates: Count,
  /** Interactions whose IMPRESSION was left out, in mode init. */
  impressions_left_out: v.optional(Count, 0),
  /** Interactions by event type. */
  event_types: v.record(v.string(), Count),
  /** By recipe: what it would learn from, after its event type and threshold. */
  checks: v.array(
    v.strictObject({
      name: v.string(),
      interactions: Count,
      users: Count,
      users_with_two: Count,
      exact: v.boolean(),
    }),
  ),
});

export type Manifest = v.InferOutput<typeof Manifest>;

/** The manifest of a run, undefined when the run is not complete. Throws EtlError when it cannot be read. */
export function readManifest(store: ObjectStore, run: string): Promise<Manifest | undefined> {
  return findFile(store, runKeys(run).manifest, Manifest);
}
