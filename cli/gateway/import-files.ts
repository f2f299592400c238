import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open as openLocal, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { S3Client } from "@aws-sdk/client-s3";
import { type FailureKind, failureKind } from "../../lib/platform/aws/errors.ts";
import { UsageError } from "../../lib/platform/failure.ts";
import { once } from "../../lib/platform/resilience/once.ts";
import type { ImportFile, OpenFile } from "../../lib/search/index/import/slices.ts";
import { RunFailure } from "../../lib/search/index/rebuild/failure.ts";

/** Files on this machine and objects in S3. */
export interface ImportSource {
  /** Returns the files at the given places: files, folders, objects, and prefixes that end with a slash. */
  find(places: readonly string[]): Promise<ImportFile[]>;
  open: OpenFile;
}

/** Bytes of a read from a local file. */
const CHUNK = 1024 * 1024;

/** Bytes at both ends of a local file that tell it from a changed one. */
const SAMPLE = 64 * 1024;

/** Attempts to read on after a connection broke, without a byte between them. */
const ATTEMPTS = 6;

/** Failures that reading again does not help. Anything else can be a connection that broke. */
const FINAL = new Set<FailureKind>(["denied", "absent", "refused"]);

/** Returns the source of imports. `client` is called when there is an object in S3. */
export function importSource(client: () => Promise<S3Client>): ImportSource {
  const connected = once(client);
  return {
    async find(places) {
      const files: ImportFile[] = [];
      for (const place of places) {
        files.push(...(isS3(place) ? await objects(await connected(), place) : await localFiles(place)));
      }
      return files;
    },
    open: (file, from) => (isS3(file.name) ? readObject(connected, file, from) : readLocal(file, from)),
  };
}

const isS3 = (place: string): boolean => place.startsWith("s3://");

async function localFiles(place: string): Promise<ImportFile[]> {
  const path = resolve(place);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--from: ${place} cannot be read: ${error.code}`);
  });
  if (!found.isDirectory()) return [{ name: path, size: found.size, tag: await sampleOf(path, found.size) }];
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  return (await Promise.all(names.sort().map((name) => localFiles(join(path, name))))).flat();
}

/** Returns a hash of both ends of a file. It stays the same on another machine, unlike the time of the last change. */
async function sampleOf(path: string, size: number): Promise<string> {
  const hash = createHash("sha256");
  const file = await openLocal(path);
  try {
    for (const position of [0, Math.max(0, size - SAMPLE)]) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE), 0, SAMPLE, position);
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
  return hash.digest("hex").slice(0, 32);
}

async function* readLocal(file: ImportFile, from: number): AsyncGenerator<Buffer> {
  const [now] = await localFiles(file.name);
  if (now?.size !== file.size || now.tag !== file.tag) throw changed(file);
  if (from >= file.size) return;
  for await (const chunk of createReadStream(file.name, { start: from, highWaterMark: CHUNK })) yield chunk as Buffer;
}

function bucketAndKey(name: string): { Bucket: string; Key: string } {
  const [, Bucket = "", Key = ""] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(name) ?? [];
  return { Bucket, Key };
}

async function objects(client: S3Client, place: string): Promise<ImportFile[]> {
  const { paginateListObjectsV2 } = await import("@aws-sdk/client-s3");
  const { Bucket, Key } = bucketAndKey(place);
  const isPrefix = Key === "" || Key.endsWith("/");
  const files: ImportFile[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: Key })) {
    for (const { Key: key = "", Size: size = 0, ETag: tag = "" } of Contents) {
      if (isPrefix ? size > 0 : key === Key) files.push({ name: `s3://${Bucket}/${key}`, size, tag });
    }
  }
  if (files.length === 0) throw new UsageError(`there is no object at ${place}; a prefix ends with a slash`);
  return files;
}

/** Reads an object, and goes on where the connection broke. */
async function* readObject(client: () => Promise<S3Client>, file: ImportFile, from: number): AsyncGenerator<Buffer> {
  const { GetObjectCommand } = await import("@aws-sdk/client-s3");
  let at = from;
  for (let failed = 0; at < file.size; ) {
    try {
      const { Body } = await (await client()).send(
        new GetObjectCommand({ ...bucketAndKey(file.name), Range: `bytes=${at}-`, IfMatch: file.tag }),
      );
      for await (const chunk of Body as AsyncIterable<Uint8Array>) {
        at += chunk.length;
        failed = 0;
        yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      }
    } catch (error) {
      if ((error as Error).name === "PreconditionFailed") throw changed(file);
      failed += 1;
      if (FINAL.has(failureKind(error)) || failed === ATTEMPTS) {
        throw new RunFailure(`${file.name} cannot be read: ${(error as Error).message}`, { cause: error });
      }
    }
  }
}

const changed = ({ name }: ImportFile) =>
  new RunFailure(`${name} has changed since the import began: cancel the run and start a new one`);
