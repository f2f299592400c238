/** An object of the bucket. The ETag changes with the content. */
export interface StoredObject {
  key: string;
  etag: string;
  size: number;
}

/** Bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

/** What ETL needs of a bucket. A write is all or nothing, as S3's PutObject is. */
export interface ObjectStore {
  /** Objects whose key starts with the prefix, in the order of their keys' UTF-8 bytes. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** The object's bytes as they arrive; undefined when there is no such object. */
  read(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>;
  write(key: string, body: string | Uint8Array): Promise<void>;
  /** Removes objects; those that are gone already are no error. */
  remove(keys: readonly string[]): Promise<void>;
}

/** A whole small object, undefined when there is none. */
export async function readText(store: ObjectStore, key: string): Promise<string | undefined> {
  const stream = await store.read(key);
  if (!stream) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
