import { isDeepStrictEqual } from "node:util";
import type { S3Client } from "@aws-sdk/client-s3";
import { s3DocumentBucket, versionedDocument } from "@relevance/lib/platform/aws/versioned-documents.ts";

/** Stores a document of the configuration as the version in use, like `deploy`, unless it is in use already. */
export async function putDocument(s3: S3Client, bucket: string, name: string, content: object): Promise<void> {
  const document = versionedDocument(s3DocumentBucket(s3, bucket), name);
  const newest = await document.newest();
  if (isDeepStrictEqual(newest?.content, JSON.parse(JSON.stringify(content)))) return;
  await document.write(newest?.version ?? 0, { by: "make dev", at: new Date(), content });
}
