/** Buckets of a segment: its rows are sorted by the top 8 bits of the EVENT_ID's hash. */
export const BUCKETS = 256;

const BUCKET_BITS = 8;

/** 32 bits that stand for an id: FNV-1a, then MurmurHash3's finalizer so that the top bits are even. */
export function eventHash(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The bucket of a hash. */
export function bucketOf(hash: number): number {
  return hash >>> (32 - BUCKET_BITS);
}

/** Most shards: beyond the buckets a shard is a part of a bucket. */
export const MAX_SHARDS = 65_536;

/** How many shards keep a number of rows in memory-sized pieces: a power of two. */
export function shardCount(rows: number, rowsPerShard: number): number {
  let shards = 1;
  while (shards < MAX_SHARDS && rows / shards > rowsPerShard) shards *= 2;
  return shards;
}

/** What a shard reads: whole buckets, or one bucket of which it takes the hashes that are its own. */
export function shardBuckets(shard: number, of: number): { first: number; end: number } {
  if (of <= BUCKETS) return { first: (shard * BUCKETS) / of, end: ((shard + 1) * BUCKETS) / of };
  const bucket = Math.floor(shard / (of / BUCKETS));
  return { first: bucket, end: bucket + 1 };
}

/** The shard that an id's hash belongs to. */
export function shardOf(hash: number, of: number): number {
  return Math.floor(hash / (2 ** 32 / of));
}
