import type { SubqueryHits } from "./techniques.ts";

/**
 * Returns the ids that any subquery found on each shard, in the order in which the cluster breaks ties. neural-search
 * collects a shard's documents in a `HashMap` keyed by Lucene's number, and sorts its keys by score, which keeps the
 * map's order for equal scores (ScoreCombiner.getSortedDocIds). Shards follow each other. Without the numbers, the
 * order is that in which the subqueries found the documents.
 */
export function inTieOrder(subqueries: readonly SubqueryHits[]): string[][] {
  const shards = Math.max(0, ...subqueries.map((subquery) => subquery.length));
  return Array.from({ length: shards }, (_, shard) => {
    const docs = new Map<string, number | undefined>();
    for (const subquery of subqueries)
      for (const { id, doc } of subquery[shard] ?? []) if (!docs.has(id)) docs.set(id, doc);
    const buckets = bucketsOf(docs.size);
    const found = Array.from(docs, ([id, doc]) => ({ id, bucket: doc === undefined ? 0 : bucketOf(doc, buckets) }));
    return found.sort((a, b) => a.bucket - b.bucket).map(({ id }) => id);
  });
}

/**
 * Returns the number of buckets of a Java `HashMap` with so many entries: 16, doubled whenever it is three quarters
 * full.
 */
function bucketsOf(entries: number): number {
  let buckets = 16;
  while (entries > 0.75 * buckets) buckets *= 2;
  return buckets;
}

/** Returns the bucket of an `Integer`: its own bits, the upper half mixed into the lower (`HashMap.hash`). */
const bucketOf = (doc: number, buckets: number) => (doc ^ (doc >>> 16)) & (buckets - 1);
