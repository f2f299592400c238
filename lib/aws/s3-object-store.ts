import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { S3Client } from "@aws-sdk/client-s3";
import { patientCalls } from "./call.ts";
import { ignoreNotFound } from "./errors.ts";
import type { ObjectStore } from "./object-store.ts";

/** Time limit for one call with its retries. It does not include reading the body. */
const CALL_MS = 60_000;

/** The most keys in one call to remove objects. */
const REMOVED_AT_ONCE = 1_000;

/**
 * Implements ObjectStore with a bucket. The client must have its own retries turned off. Loads commands on first use.
 */
export function s3ObjectStore(client: Pick<S3Client, "send">, bucket: string): ObjectStore {
  const sdk = () => import("@aws-sdk/client-s3");
  const call = patientCalls(CALL_MS, 5);

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
      const { PutObjectCommand } = await sdk();
      const isFile = typeof body === "object" && "file" in body;
      const ContentLength = isFile ? (await stat(body.file)).size : undefined;
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
