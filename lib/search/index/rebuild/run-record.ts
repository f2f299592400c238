import * as v from "valibot";
import { nameOfRun, newRunId, RUN_INDEX_BODY, RUN_INDEXES, runIndex } from "../../index-meta/run-names.ts";
import { RunFailure, TakenOver } from "./failure.ts";
import { BackfillRecord, ImportRecord, ImportTally, runFields } from "./in-place-records.ts";
import { documents, indices } from "./requests.ts";
import type { RunCalls } from "./run-calls.ts";

const Tally = v.object({
  ...ImportTally.entries,
  /** Copies that were deleted because their document was deleted. */
  deleted: v.number(),
});

const ShardState = v.object({
  /** The current pass copies up to this sequence number. */
  mark: v.number(),
  copied: v.number(),
  verified: v.number(),
  /** Finished sequence numbers beyond a gap in the current step. Their documents are counted. */
  ahead: v.optional(v.number()),
});

/**
 * A rebuild as its index stores it.
 * - `copy`: it copies, or waits to be resumed;
 * - `ready`: the new index has caught up, and waits for `switch`;
 * - `switched`, `rolled_back`, `cancelled`: it has ended.
 */
export const RunRecord = v.object({
  kind: v.literal("rebuild"),
  ...runFields,
  source: v.string(),
  source_uuid: v.string(),
  target: v.string(),
  phase: v.picklist(["copy", "ready", "switched", "rolled_back", "cancelled"]),
  /** Sequence numbers per ledger bucket. */
  width: v.number(),
  /** Whether documents are sent through the gateway's bulk endpoint, which embeds them again. */
  embed: v.boolean(),
  /** The embedding fields, whose values then differ between the indexes. */
  embedding_fields: v.array(v.string()),
  /** Fields whose vectors become bytes in the new index. */
  to_bytes: v.optional(v.array(v.string())),
  /** Settings that the new index gets after catching up. */
  late_settings: v.record(v.string(), v.nullable(v.string())),
  passes: v.number(),
  shards: v.record(v.string(), ShardState),
  tally: Tally,
  switched_at: v.optional(v.string()),
  /** The last sequence number of each shard of the new index at the switch. */
  target_marks: v.optional(v.array(v.number())),
});
export type RunRecord = v.InferOutput<typeof RunRecord>;
export type Tally = v.InferOutput<typeof Tally>;

const AnyRecord = v.variant("kind", [RunRecord, ImportRecord, BackfillRecord]);
export type AnyRecord = v.InferOutput<typeof AnyRecord>;

/** A record with the version that was read. Saving it is conditional on this version. */
export interface HeldRecord<Kind extends AnyRecord = RunRecord> {
  record: Kind;
  guard: { seqNo: number; primaryTerm: number };
}

/** Returns the initial members of any run's record. */
export function newRun(name: string, now: Date) {
  return {
    id: newRunId(name, now),
    name,
    phase: "copy" as const,
    epoch: 0,
    tally: { read: 0, written: 0, unchanged: 0, rejected: 0 },
    started_at: now.toISOString(),
    updated_at: now.toISOString(),
  };
}

/** Returns index and id of a run's record. */
const recordOf = (id: string) => ({ index: runIndex(id), id: "run" });

/** Creates the index of a run. */
export async function createRunIndex(calls: RunCalls, id: string): Promise<void> {
  // The id is new: if the index exists, an earlier attempt created it and its answer was lost.
  await calls.json(indices.create({ index: runIndex(id), body: RUN_INDEX_BODY }), [400]);
}

/** Creates the record of a run, and its index unless that exists. */
export async function createRecord(calls: RunCalls, record: AnyRecord): Promise<void> {
  await createRunIndex(calls, record.id);
  // An existing record comes from an earlier attempt as well.
  const { index, id } = recordOf(record.id);
  await calls.json(documents.index({ index, id, op_type: "create", body: record }), [409]);
}

/** Reads a run of any kind. Throws RunFailure if there is none with this id. */
export async function readAnyRecord(calls: RunCalls, id: string): Promise<HeldRecord<AnyRecord>> {
  const answer = await calls.json(documents.get(recordOf(id)), [404]);
  if (answer._source === undefined)
    throw new RunFailure(`There is no run ${id}: \`relevance index status\` lists them`);
  const record = v.parse(AnyRecord, answer._source);
  requireOwn(record, id);
  return { record, guard: { seqNo: Number(answer._seq_no), primaryTerm: Number(answer._primary_term) } };
}

/**
 * Throws RunFailure unless a record is about the index in its run's id. A user who may write to that index may also
 * write the record, but must not be able to redirect an administrator's command to another index.
 */
function requireOwn(record: AnyRecord, id: string): void {
  const name = nameOfRun(id);
  if (name === undefined) return;
  const names = [record.id, record.name, ...(record.kind === "rebuild" ? [record.target] : [])];
  if (names.join() === [id, name, ...(record.kind === "rebuild" ? [id] : [])].join()) return;
  throw new RunFailure(`The record of the run ${id} is about ${names.join(", ")}: somebody else has written it`);
}

const reader =
  <Kind extends AnyRecord["kind"]>(kind: Kind) =>
  async (calls: RunCalls, id: string): Promise<HeldRecord<Extract<AnyRecord, { kind: Kind }>>> => {
    const held = await readAnyRecord(calls, id);
    if (held.record.kind !== kind) throw new RunFailure(`The run ${id} is another kind of run: ${held.record.kind}`);
    return held as HeldRecord<Extract<AnyRecord, { kind: Kind }>>;
  };

/** Reads a rebuild. Throws RunFailure if there is none with this id. */
export const readRecord = reader("rebuild");

/** Reads an import. Throws RunFailure if there is none with this id. */
export const readImport = reader("import");

/** Reads a backfill. Throws RunFailure if there is none with this id. */
export const readBackfill = reader("backfill");

/** Returns all runs, the latest first. */
export async function listRecords(calls: RunCalls): Promise<AnyRecord[]> {
  const all = { index: RUN_INDEXES, expand_wildcards: "all" as const };
  await calls.json(indices.refresh(all));
  const body = { size: 1_000, query: { ids: { values: ["run"] } } };
  const answer = (await calls.json(documents.search({ ...all, body }))) as {
    hits?: { hits: Array<{ _source: unknown }> };
  };
  const records = (answer.hits?.hits ?? []).map(({ _source }) => v.parse(AnyRecord, _source));
  return records.sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
}

/** Saves a record. Throws TakenOver if another process has changed it. */
export async function saveRecord<Kind extends AnyRecord>(
  calls: RunCalls,
  held: HeldRecord<Kind>,
  now: Date,
): Promise<void> {
  held.record.updated_at = now.toISOString();
  const { id } = held.record;
  const { seqNo, primaryTerm } = held.guard;
  const body = structuredClone(held.record);
  const guard = { if_seq_no: seqNo, if_primary_term: primaryTerm };
  const answer = await calls.json(documents.index({ ...recordOf(id), ...guard, body }), [404, 409]);
  if (answer.error === undefined) {
    held.guard = { seqNo: Number(answer._seq_no), primaryTerm: Number(answer._primary_term) };
    return;
  }
  // An earlier attempt may have succeeded without an answer.
  const stored = await readAnyRecord(calls, id);
  if (JSON.stringify(stored.record) !== JSON.stringify(v.parse(AnyRecord, body))) {
    throw new TakenOver(`Another process works on the run ${id}, or has cancelled it`);
  }
  held.guard = stored.guard;
}

/** Attempts to take over a run. A killed process can save at most once more, with a call that was already sent. */
const ATTEMPTS = 3;

/**
 * Takes over a run: reads it, prepares its record and saves it for this process. Starts again if another process has
 * saved it meanwhile. Throws TakenOver after too many attempts, and what `prepare` throws.
 */
export async function takeRun<Kind extends AnyRecord>(
  calls: RunCalls,
  read: () => Promise<HeldRecord<Kind>>,
  prepare: (record: Kind) => void | Promise<void>,
): Promise<HeldRecord<Kind>> {
  for (let attempt = 1; ; attempt += 1) {
    const held = await read();
    await prepare(held.record);
    held.record.epoch += 1;
    delete held.record.message;
    try {
      await saveRecord(calls, held, new Date());
      return held;
    } catch (error) {
      if (!(error instanceof TakenOver) || attempt === ATTEMPTS) throw error;
    }
  }
}
