import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";

/** An object of the bucket. The ETag changes with the content. */
export interface StoredObject {
  key: string;
  etag: string;
  size: number;
}

/** Operations on a bucket. Writes are atomic, like S3's PutObject. */
export interface ObjectStore {
  /** Lists the objects whose key starts with the prefix, ordered by the UTF-8 bytes of their keys. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Streams the bytes of an object. Undefined if the object does not exist. */
  read(key: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Writes a text, bytes, or the content of a file, which is not kept in memory. */
  write(key: string, body: string | Uint8Array | { file: string }): Promise<void>;
  /** Removes objects. Ignores objects that do not exist. */
  remove(keys: readonly string[]): Promise<void>;
}

/** Reads a whole small object. Undefined if it does not exist. */
export async function readText(store: Pick<ObjectStore, "read">, key: string): Promise<string | undefined> {
  const stream = await store.read(key);
  if (!stream) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** Returns all objects whose key starts with the prefix. */
export async function listed(store: Pick<ObjectStore, "list">, prefix: string): Promise<StoredObject[]> {
  const found = [];
  for await (const object of store.list(prefix)) found.push(object);
  return found;
}

/** Copies an object to a file. Returns false if the object does not exist. */
export async function download(store: ObjectStore, key: string, file: string): Promise<boolean> {
  const body = await store.read(key);
  if (!body) return false;
  await pipeline(body, createWriteStream(file));
  return true;
}

/** Removes all objects of a folder but those named. */
export async function removeOthers(store: ObjectStore, folder: string, kept: ReadonlySet<string>): Promise<void> {
  await store.remove((await listed(store, folder)).map(({ key }) => key).filter((key) => !kept.has(key)));
}

/** Replaces an object by a file, or removes it: a repeated call leaves nothing of an earlier one. */
export const replace = (store: ObjectStore, key: string, file: string | false): Promise<void> =>
  file === false ? store.remove([key]) : store.write(key, { file });
