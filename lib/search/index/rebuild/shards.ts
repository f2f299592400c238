import { ofPrimaries, ofShard } from "./documents.ts";
import { RunFailure } from "./failure.ts";
import { documents, indices } from "./requests.ts";
import type { RunCalls } from "./run-calls.ts";

/** Sequence numbers of the primary of one shard. */
interface ShardMark {
  shard: number;
  /** Every operation up to this one is on all in-sync replicas, so no failover undoes it. -1 if there is none. */
  globalCheckpoint: number;
  /** The last assigned sequence number. */
  last: number;
}

interface ShardStats {
  routing: { primary: boolean };
  seq_no: { max_seq_no: number; global_checkpoint: number };
}

/** Returns the marks of an index, by shard. Throws RunFailure if a primary is missing. */
export async function shardMarks(calls: RunCalls, index: string): Promise<ShardMark[]> {
  const stats = (await calls.json(indices.stats({ index, level: "shards" }))) as {
    indices?: Record<string, { shards: Record<string, ShardStats[]> }>;
  };
  const settings = (await calls.json(indices.getSettings({ index, flat_settings: true }))) as Record<
    string,
    { settings: Record<string, string> }
  >;
  const count = Number(settings[index]?.settings["index.number_of_shards"]);
  const shards = stats.indices?.[index]?.shards ?? {};
  return Array.from({ length: count }, (_, shard) => {
    const primary = shards[shard]?.find(({ routing }) => routing.primary);
    if (!primary) throw new RunFailure(`Shard ${shard} of ${index} has no active primary; resume when it has`);
    return { shard, globalCheckpoint: primary.seq_no.global_checkpoint, last: primary.seq_no.max_seq_no };
  });
}

/** Makes all earlier writes searchable on every copy. */
export async function refresh(calls: RunCalls, index: string): Promise<void> {
  const { _shards } = (await calls.json(indices.refresh({ index }))) as { _shards?: { failed: number } };
  if (_shards?.failed !== 0) throw new RunFailure(`${index} could not be refreshed on all shards; resume to try again`);
}

/** The most buckets of one aggregation: below the default of `search.max_buckets` (65,535). */
const BUCKETS_A_CALL = 10_000;

/**
 * Returns the number of documents of each bucket of `width` sequence numbers, between two sequence numbers. Empty
 * buckets are left out.
 */
export async function countByBucket(
  calls: RunCalls,
  index: string,
  { shard, from: first = 0, to, width }: { shard: number; from?: number; to: number; width: number },
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (let from = first; from <= to; from += BUCKETS_A_CALL * width) {
    const lte = Math.min(to, from + BUCKETS_A_CALL * width - 1);
    const body = {
      size: 0,
      track_total_hits: false,
      query: { range: { _seq_no: { gte: from, lte } } },
      aggs: { buckets: { histogram: { field: "_seq_no", interval: width, min_doc_count: 1 } } },
    };
    const answer = (await calls.json(documents.search({ index, ...ofShard(shard), body }))) as {
      aggregations?: { buckets: { buckets: Array<{ key: number; doc_count: number }> } };
    };
    for (const { key, doc_count } of answer.aggregations?.buckets.buckets ?? []) counts.set(key / width, doc_count);
  }
  return counts;
}

/**
 * Returns the number of documents of an index, by default of all. Uses a search, because `_count` applies the index's
 * search pipeline and cannot be given another one.
 */
export async function countDocuments(
  calls: RunCalls,
  index: string,
  query: object = { range: { _seq_no: { gte: 0 } } },
): Promise<number> {
  const body = { size: 0, track_total_hits: true, query };
  const answer = (await calls.json(documents.search({ index, ...ofPrimaries, body }))) as {
    hits: { total: { value: number } };
  };
  return answer.hits.total.value;
}
