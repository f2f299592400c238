import * as v from "valibot";
import { ImportTally } from "./import-record.ts";

/**
 * A backfill as the index of its run stores it.
 * - `copy`: it embeds, or is to be resumed;
 * - `done`, `cancelled`: it has ended.
 */
export const BackfillRecord = v.object({
  kind: v.literal("backfill"),
  id: v.string(),
  /** The index or alias that hybrid_search.yaml maps. */
  name: v.string(),
  phase: v.picklist(["copy", "done", "cancelled"]),
  /** Counts the processes that have worked on the run. */
  epoch: v.number(),
  /** The index behind the name when the run began. Sequence numbers mean something else in another one. */
  source: v.string(),
  source_uuid: v.string(),
  /** A hash of which fields are embedded from which, with which models, and of what the index says about them. */
  embeddings: v.string(),
  /** Of each shard: the last sequence number to look at, and the last that is done. */
  shards: v.record(v.string(), v.object({ mark: v.number(), done: v.number() })),
  /** `unchanged` are documents that lack nothing, or that others have changed meanwhile. */
  tally: ImportTally,
  started_at: v.string(),
  updated_at: v.string(),
  /** Why the run does not go on by itself. */
  message: v.optional(v.string()),
});
export type BackfillRecord = v.InferOutput<typeof BackfillRecord>;
