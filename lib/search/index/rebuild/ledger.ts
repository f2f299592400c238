import type { StoredCopy } from "./documents.ts";
import { TakenOver } from "./failure.ts";
import { documents } from "./requests.ts";
import { type RunCalls, scanRun } from "./run-calls.ts";

/**
 * Record of the documents that a run has copied, in buckets of sequence numbers of the old index. Each bucket is
 * recorded before its documents are written to the new index, so every document of the new index is in the ledger.
 * Deleted documents cannot be searched. Instead, a bucket with fewer documents in the old index than in the ledger has
 * lost some to deletes or updates.
 */
export interface Ledger {
  /** Returns the number of recorded documents of a bucket. */
  count(shard: number, bucket: number): number;
  /** Returns the buckets of a shard that have a record. */
  buckets(shard: number): number[];
  read(shard: number, bucket: number): Promise<StoredCopy[]>;
  /** Adds copies to a bucket. Throws TakenOver if another process has written to it meanwhile. */
  add(shard: number, bucket: number, copies: readonly StoredCopy[]): Promise<void>;
  /** Replaces the copies of a bucket. Throws TakenOver likewise. */
  replace(shard: number, bucket: number, copies: readonly StoredCopy[]): Promise<void>;
}

type Entry = [id: string, seqNo: number, version: string, routing?: string];

interface Stored {
  found: boolean;
  _seq_no: number;
  _primary_term: number;
  _source?: { entries: Entry[] };
}

/** Opens the ledger in the run's index. Reads the number of documents of each bucket. */
export async function openLedger(calls: RunCalls, index: string): Promise<Ledger> {
  const counts = new Map<number, Map<number, number>>();
  const countsOf = (shard: number) => {
    const known = counts.get(shard) ?? new Map<number, number>();
    counts.set(shard, known);
    return known;
  };
  for await (const { _id, _source } of scanRun(calls, index, ["shard", "bucket", "count"])) {
    if (!_id.startsWith("bucket-")) continue;
    const { shard, bucket, count } = _source as { shard: number; bucket: number; count: number };
    countsOf(shard).set(bucket, count);
  }

  const get = async (shard: number, bucket: number) => {
    return (await calls.json(documents.get({ index, id: idOf(shard, bucket) }), [404])) as unknown as Stored;
  };

  const put = async (shard: number, bucket: number, copies: readonly StoredCopy[], before: Stored) => {
    const guard = before.found
      ? { if_seq_no: before._seq_no, if_primary_term: before._primary_term }
      : { op_type: "create" as const };
    const entries = copies.map(({ id, seqNo, version, routing }) => [id, seqNo, String(version), routing]);
    const body = { shard, bucket, count: entries.length, entries };
    const request = documents.index({ index, id: idOf(shard, bucket), ...guard, body });
    const answer = await calls.json(request, [409]);
    if (answer.error !== undefined) {
      // An earlier attempt may have succeeded without an answer.
      const now = await get(shard, bucket);
      if (JSON.stringify(now._source) !== JSON.stringify(body)) {
        throw new TakenOver("Another process works on this run and has changed its records");
      }
    }
    countsOf(shard).set(bucket, entries.length);
  };

  return {
    count: (shard, bucket) => countsOf(shard).get(bucket) ?? 0,
    buckets: (shard) => [...countsOf(shard).keys()],
    read: async (shard, bucket) => copiesOf(await get(shard, bucket)),
    async add(shard, bucket, copies) {
      const before = await get(shard, bucket);
      const known = copiesOf(before);
      const seqNos = new Set(known.map(({ seqNo }) => seqNo));
      const added = copies.filter(({ seqNo }) => !seqNos.has(seqNo));
      if (added.length > 0) await put(shard, bucket, [...known, ...added], before);
    },
    async replace(shard, bucket, copies) {
      await put(shard, bucket, copies, await get(shard, bucket));
    },
  };
}

const idOf = (shard: number, bucket: number) => `bucket-${shard}-${bucket}`;

function copiesOf({ _source }: Stored): StoredCopy[] {
  return (_source?.entries ?? []).map(([id, seqNo, version, routing]) => ({
    id,
    seqNo,
    version: BigInt(version),
    ...(typeof routing === "string" && { routing }),
  }));
}
