import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { CompletedPart, S3Client } from "@aws-sdk/client-s3";
import { patientCalls } from "./call.ts";
import { ignoreNotFound, isNamed } from "./errors.ts";
import type { ObjectStore } from "./object-store.ts";

/** Time limit for one call with its retries. It does not include reading the body. */
const CALL_MS = 60_000;

/** The most that one PutObject takes, and the parts in which larger files are written: there may be 10,000. */
const SIZES = { put: 5 * 1024 ** 3, part: 128 * 1024 ** 2 };

/** The most keys in one call to remove objects. */
const REMOVED_AT_ONCE = 1_000;

interface Whole {
  Bucket: string;
  Key: string;
}

/** An object that is written in parts. */
interface Upload extends Whole {
  UploadId: string | undefined;
}

/**
 * Implements ObjectStore with a bucket. The client must have its own retries turned off. Loads commands on first use.
 */
export function s3ObjectStore(client: Pick<S3Client, "send">, bucket: string, sizes = SIZES): ObjectStore {
  const sdk = () => import("@aws-sdk/client-s3");
  const call = patientCalls(CALL_MS, 5);

  /** Writes a file as one object, part by part. Removes the parts of an upload that fails. */
  const inParts = async (object: Whole, file: string, size: number) => {
    const { AbortMultipartUploadCommand, CreateMultipartUploadCommand } = await sdk();
    const { UploadId } = await call(() => client.send(new CreateMultipartUploadCommand(object)));
    try {
      await upload({ ...object, UploadId }, file, size);
    } catch (error) {
      // If this fails too, the bucket's lifecycle removes them.
      await call(() => client.send(new AbortMultipartUploadCommand({ ...object, UploadId }))).catch(() => undefined);
      throw error;
    }
  };

  const upload = async ({ UploadId, ...object }: Upload, file: string, size: number) => {
    const { CompleteMultipartUploadCommand, HeadObjectCommand, UploadPartCommand } = await sdk();
    const Parts: CompletedPart[] = [];
    for (let start = 0; start < size; start += sizes.part) {
      const PartNumber = Parts.length + 1;
      const ContentLength = Math.min(sizes.part, size - start);
      const { ETag } = await call(() => {
        const Body = createReadStream(file, { start, end: start + ContentLength - 1 });
        return client.send(new UploadPartCommand({ ...object, UploadId, PartNumber, Body, ContentLength }));
      });
      Parts.push({ PartNumber, ETag });
    }
    const complete = { ...object, UploadId, MultipartUpload: { Parts } };
    let attempts = 0;
    try {
      await call(() => {
        attempts += 1;
        return client.send(new CompleteMultipartUploadCommand(complete));
      });
    } catch (error) {
      if (attempts === 1 || !isNamed(error, "NoSuchUpload")) throw error;
      // The first attempt may have succeeded although its answer was lost.
      const found = await call(() => client.send(new HeadObjectCommand(object))).catch(() => undefined);
      if (found?.ContentLength !== size) throw error;
    }
  };

  return {
    async *list(prefix) {
      const { ListObjectsV2Command } = await sdk();
      let token: string | undefined;
      do {
        const page = await call(() =>
          client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token })),
        );
        for (const { Key, ETag, Size } of page.Contents ?? []) {
          yield { key: Key ?? "", etag: ETag ?? "", size: Size ?? 0 };
        }
        token = page.NextContinuationToken;
      } while (token);
    },

    async read(key) {
      const { GetObjectCommand } = await sdk();
      const found = await ignoreNotFound(call(() => client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))));
      return found?.Body as AsyncIterable<Uint8Array> | undefined;
    },

    async write(key, body) {
      const isFile = typeof body === "object" && "file" in body;
      const ContentLength = isFile ? (await stat(body.file)).size : undefined;
      if (isFile && ContentLength !== undefined && ContentLength > sizes.put) {
        await inParts({ Bucket: bucket, Key: key }, body.file, ContentLength);
        return;
      }
      const { PutObjectCommand } = await sdk();
      await call(() => {
        const Body = isFile ? createReadStream(body.file) : body;
        return client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body, ContentLength }));
      });
    },

    async remove(keys) {
      const { DeleteObjectsCommand } = await sdk();
      for (let at = 0; at < keys.length; at += REMOVED_AT_ONCE) {
        const Objects = keys.slice(at, at + REMOVED_AT_ONCE).map((Key) => ({ Key }));
        const { Errors = [] } = await call(() =>
          client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } })),
        );
        const [first] = Errors;
        if (first) throw new Error(`${Errors.length} objects could not be removed; ${first.Key}: ${first.Message}`);
      }
    },
  };
}
