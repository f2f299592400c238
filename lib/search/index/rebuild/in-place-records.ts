import * as v from "valibot";
import { IMPORT_FORMATS } from "../../../platform/contract/search.ts";

/** Counts of a run that changes an index in place. */
export const ImportTally = v.object({
  /** Documents of the files, including rejected ones. */
  read: v.number(),
  written: v.number(),
  /** Documents that the index already had: written by an earlier process of the run, or by others since it began. */
  unchanged: v.number(),
  rejected: v.number(),
});
export type ImportTally = v.InferOutput<typeof ImportTally>;

/** Names of the counts. */
export const TALLIED = Object.keys(ImportTally.entries) as (keyof ImportTally)[];

/** Members of the record of every run. */
export const runFields = {
  id: v.string(),
  /** The index or alias that the run works on, as the user named it. */
  name: v.string(),
  /** Number of processes that have worked on the run; identifies the current one. */
  epoch: v.number(),
  started_at: v.string(),
  updated_at: v.string(),
  /** Why the run stopped and must be resumed. */
  message: v.optional(v.string()),
};

/** State of a run that changes an index in place. */
const InPlacePhase = v.picklist(["copy", "done", "cancelled"]);

/**
 * An import as the index of its run stores it.
 * - `copy`: it reads, or is to be resumed;
 * - `done`, `cancelled`: it has ended.
 */
export const ImportRecord = v.object({
  kind: v.literal("import"),
  ...runFields,
  phase: InPlacePhase,
  format: v.picklist(IMPORT_FORMATS),
  /** The field with the id of a document. */
  id_field: v.optional(v.string()),
  /** Whether documents go through the gateway's bulk endpoint, which embeds them. */
  embed: v.boolean(),
  /** Bytes of a slice. */
  slice_bytes: v.number(),
  /** Seconds since 2020 when the run began: the upper bits of the versions of its documents. */
  since: v.number(),
  /** The first unfinished slice, and its position in its file. */
  next: v.object({ slice: v.number(), file: v.number(), offset: v.number() }),
  /** Later slices that are finished. */
  ahead: v.array(v.object({ slice: v.number(), file: v.number(), end: v.number() })),
  /** Source of the new content, shown by the `status` command. */
  from: v.string(),
  files: v.number(),
  tally: ImportTally,
  /** Bytes of content whose documents are all counted. */
  bytes: v.optional(v.number()),
  /** Counts of slices that were left unfinished, because too many documents were rejected. */
  interrupted: v.optional(ImportTally),
  /** The most rejected documents before the run stops. */
  max_rejected: v.optional(v.number()),
  /** The first reason why the gateway stored documents without an embedding. */
  degraded: v.optional(v.string()),
});
export type ImportRecord = v.InferOutput<typeof ImportRecord>;

/**
 * A backfill as the index of its run stores it.
 * - `copy`: it embeds, or is to be resumed;
 * - `done`, `cancelled`: it has ended.
 */
export const BackfillRecord = v.object({
  kind: v.literal("backfill"),
  ...runFields,
  phase: InPlacePhase,
  /** The index behind the name when the run began. Sequence numbers are not comparable with those of another index. */
  source: v.string(),
  source_uuid: v.string(),
  /** Hash of the embedding settings, the models, and the index's description of its vectors. */
  embeddings: v.string(),
  /** By shard: the last sequence number to read, and the last finished one. */
  shards: v.record(v.string(), v.object({ mark: v.number(), done: v.number() })),
  /** `unchanged` are documents with all embeddings, or that others have changed meanwhile. */
  tally: ImportTally,
});
export type BackfillRecord = v.InferOutput<typeof BackfillRecord>;
