import { GetObjectCommand, PutObjectCommand, paginateListObjectsV2, type S3Client } from "@aws-sdk/client-s3";
import type { ObjectReader } from "./csv-import.ts";

/** Reads and writes the files of jobs through an S3 client. In the local stack the client points to the local AWS endpoint. */
export function s3Objects(client: S3Client): ObjectReader {
  return {
    async list(bucket, prefix) {
      const keys: string[] = [];
      for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })) {
        for (const { Key } of page.Contents ?? []) if (Key) keys.push(Key);
      }
      return keys;
    },
    async read(bucket, key) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      if (!Body) throw new Error(`s3://${bucket}/${key} came without a body`);
      return Body.transformToWebStream();
    },
    async write(bucket, key, body) {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
    },
  };
}
