import * as v from "valibot";
import { ImportTally, runFields } from "./import-record.ts";

/**
 * A backfill as the index of its run stores it.
 * - `copy`: it embeds, or is to be resumed;
 * - `done`, `cancelled`: it has ended.
 */
export const BackfillRecord = v.object({
  kind: v.literal("backfill"),
  ...runFields,
  phase: v.picklist(["copy", "done", "cancelled"]),
  /** The index behind the name when the run began. Sequence numbers mean something else in another one. */
  source: v.string(),
  source_uuid: v.string(),
  /** A hash of which fields are embedded from which, with which models, and of what the index says about them. */
  embeddings: v.string(),
  /** Of each shard: the last sequence number to look at, and the last that is done. */
  shards: v.record(v.string(), v.object({ mark: v.number(), done: v.number() })),
  /** `unchanged` are documents that lack nothing, or that others have changed meanwhile. */
  tally: ImportTally,
});
export type BackfillRecord = v.InferOutput<typeof BackfillRecord>;
