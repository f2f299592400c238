import { isAscii } from "node:buffer";
import { createReadStream, createWriteStream, writeSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { ObjectStore, StoredObject } from "../../aws/object-store.ts";

/** Copies an object to a file. Returns false if the object does not exist. */
export async function download(store: ObjectStore, key: string, file: string): Promise<boolean> {
  const body = await store.read(key);
  if (!body) return false;
  await pipeline(body, createWriteStream(file));
  return true;
}

/** Returns all objects below a prefix. */
export async function listed(store: ObjectStore, prefix: string): Promise<StoredObject[]> {
  const found = [];
  for await (const object of store.list(prefix)) found.push(object);
  return found;
}

/** The most keys in one call to remove objects. */
const REMOVED_AT_ONCE = 1_000;

/** Removes all objects of a folder but those named. */
export async function removeOthers(store: ObjectStore, folder: string, kept: ReadonlySet<string>): Promise<void> {
  const others = (await listed(store, folder)).map(({ key }) => key).filter((key) => !kept.has(key));
  for (let at = 0; at < others.length; at += REMOVED_AT_ONCE)
    await store.remove(others.slice(at, at + REMOVED_AT_ONCE));
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const BACKSLASH = 0x5c;
const DELETE = 0x7f;

/** An object as text. */
interface Unpacked {
  bytes: number;
  /** Whether all of it is ASCII without backslashes and the control character DELETE. */
  isPlain: boolean;
  /** What is wrong with the object as a whole. */
  problem?: string;
}

/**
 * Copies a file as text and removes it. Recognizes gzip by the first two bytes, and unpacks several gzip members in a
 * row as one text, because Firehose may write them. Of damaged gzip data, it copies the lines before the damage and
 * returns the problem: the damaged object stays in the bucket and must not make every later run fail.
 */
export async function unpack(file: string, to: string): Promise<Unpacked> {
  const input = await open(file);
  const { buffer: head } = await input.read(Buffer.alloc(2), 0, 2, 0);
  await input.close();
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const bytes = createReadStream(file, { highWaterMark: 256 * 1_024 });
  // With the default chunks of 16 KiB, calls alone take a third of the time.
  const chunks: AsyncIterable<Buffer> = isGzip ? bytes.pipe(createGunzip({ chunkSize: 512 * 1_024 })) : bytes;
  const output = await open(to, "w");
  let size = 0;
  let whole = 0;
  let isPlain = true;
  try {
    for await (const chunk of chunks) {
      // White space in JSON, but the end of a line for DuckDB's readers.
      for (let at = chunk.indexOf(CARRIAGE_RETURN); at !== -1; at = chunk.indexOf(CARRIAGE_RETURN, at))
        chunk[at] = SPACE;
      isPlain &&= isAscii(chunk) && !chunk.includes(BACKSLASH) && !chunk.includes(DELETE);
      // An asynchronous write would cost more than the write itself.
      writeSync(output.fd, chunk);
      const end = chunk.lastIndexOf(LINE_FEED);
      if (end !== -1) whole = size + end + 1;
      size += chunk.length;
    }
    return { bytes: size, isPlain };
  } catch (error) {
    if (!isGzip) throw error;
    await output.truncate(whole);
    return {
      bytes: whole,
      isPlain,
      problem: `gzip data is damaged: ${error instanceof Error ? error.message : String(error)}`,
    };
  } finally {
    await output.close();
    await rm(file);
  }
}
