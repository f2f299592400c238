/** Number of buckets in a segment. Its rows are sorted by the top 8 bits of the EVENT_ID's hash. */
export const BUCKETS = 256;

const BUCKET_BITS = 8;

/** Returns a 32-bit hash of an id: FNV-1a, then MurmurHash3's finalizer, which distributes the top bits evenly. */
export function eventHash(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Returns the bucket of a hash. */
export function bucketOf(hash: number): number {
  return hash >>> (32 - BUCKET_BITS);
}

/** The most shards. If there are more shards than buckets, a shard is a part of a bucket. */
export const MAX_SHARDS = 65_536;

/** Returns the number of shards, a power of two, so that a shard has at most about `rowsPerShard` rows. */
export function shardCount(rows: number, rowsPerShard: number): number {
  let shards = 1;
  while (shards < MAX_SHARDS && rows / shards > rowsPerShard) shards *= 2;
  return shards;
}

/** Returns the buckets that a shard reads: whole buckets, or one bucket from which it picks its own hashes. */
export function shardBuckets(shard: number, of: number): { first: number; end: number } {
  if (of <= BUCKETS) return { first: (shard * BUCKETS) / of, end: ((shard + 1) * BUCKETS) / of };
  const bucket = Math.floor(shard / (of / BUCKETS));
  return { first: bucket, end: bucket + 1 };
}

/** Returns the shard of an id's hash. */
export function shardOf(hash: number, of: number): number {
  return Math.floor(hash / (2 ** 32 / of));
}
