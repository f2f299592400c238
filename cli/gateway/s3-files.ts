import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { S3Client } from "@aws-sdk/client-s3";
import { UsageError } from "../../lib/platform/failure.ts";
import type { Context } from "../command.ts";
import { reading } from "../recommendation/target.ts";
import { importSource } from "./import-files.ts";

/** A file to upload. */
interface UploadFile {
  /** Path, or `s3://bucket/key`. */
  file: string;
}

/**
 * Runs a task with files on this machine: objects in S3 are first copied to a folder, which is removed afterwards, since an
 * upload reads each file twice. `named` returns a text in which the copies have the names of their objects.
 */
export async function withLocalFiles<One extends UploadFile, T>(
  given: readonly One[],
  { env, terminal }: Context,
  task: (files: One[], named: (text: string) => string) => Promise<T>,
): Promise<T> {
  if (!given.some(({ file }) => isObject(file))) return task([...given], (text) => text);
  const { find, open } = importSource(s3Client(env, () => env.AWS_DEFAULT_REGION ?? "us-east-1"));
  const folder = await mkdtemp(join(tmpdir(), "relevance-upload-"));
  try {
    const copies = new Map<string, string>();
    const files: One[] = [];
    for (const [index, one] of given.entries()) {
      if (!isObject(one.file)) files.push(one);
      else {
        if (one.file.endsWith("/")) throw new UsageError(`${one.file} is a folder: name one object`);
        const [object] = await reading("s3:ListBucket", find([one.file]));
        if (!object) throw new UsageError(`there is no object ${one.file}`);
        terminal.note(`Copying ${one.file}`);
        const copy = join(folder, String(index));
        await pipeline(Readable.from(open(object, 0)), createWriteStream(copy));
        copies.set(copy, one.file);
        files.push({ ...one, file: copy });
      }
    }
    const named = (text: string) => [...copies].reduce((all, [copy, name]) => all.replaceAll(copy, name), text);
    return await task(files, named);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const isObject = (file: string): boolean => file.startsWith("s3://");

/** Returns what opens the user's buckets, which may be in another region than the given one. */
export const s3Client = (env: Context["env"], region: () => string) => async (): Promise<S3Client> => {
  const { S3Client } = await import("@aws-sdk/client-s3");
  return new S3Client({
    region: env.AWS_REGION ?? region(),
    followRegionRedirects: true,
    forcePathStyle: env.AWS_ENDPOINT_URL !== undefined,
  });
};
