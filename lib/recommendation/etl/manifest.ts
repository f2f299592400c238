import * as v from "valibot";
import type { ObjectStore } from "../../aws/object-store.ts";
import { TRAINING_MODES } from "../../config/solution.ts";
import { runKeys } from "./keys.ts";
import { Count, findFile } from "./run-files.ts";

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
  mode: v.picklist(TRAINING_MODES),
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
  /** Number of interactions by event type. */
  event_types: v.record(v.string(), Count),
  /** By recipe: the events that it would learn from, filtered by its event type and threshold. */
  checks: v.array(
    v.strictObject({
      name: v.string(),
      interactions: Count,
      /** Number of users with at least one such event; below, with at least two. */
      users: Count,
      users_with_two: Count,
      /** Whether the numbers of users are exact. With thousands of users, they are estimated from the lowest hashes. */
      exact: v.boolean(),
    }),
  ),
});

export type Manifest = v.InferOutput<typeof Manifest>;

/** Reads the manifest of a run. Undefined if the run is incomplete. Throws EtlError if the manifest is invalid. */
export function readManifest(store: ObjectStore, run: string): Promise<Manifest | undefined> {
  return findFile(store, runKeys(run).manifest, Manifest);
}
