import type { S3ClientConfig } from "@aws-sdk/client-s3";
import type { ObjectStore } from "../../lib/platform/aws/object-store.ts";
import { Failure } from "../../lib/platform/failure.ts";
import type { SdkConfig } from "../discovery/sdk/config.ts";

/**
 * Returns whether the bucket exists and is accessible. Throws the SDK's error for a bucket that is not: it belongs to
 * another account, or to another one than `ExpectedBucketOwner`.
 */
export async function bucketExists(sdk: SdkConfig, Bucket: string, ExpectedBucketOwner?: string): Promise<boolean> {
  const { HeadBucketCommand, NotFound, S3Client } = await import("@aws-sdk/client-s3");
  try {
    await new S3Client(sdk).send(
      new HeadBucketCommand({ Bucket, ...(ExpectedBucketOwner && { ExpectedBucketOwner }) }),
    );
    return true;
  } catch (error) {
    if (error instanceof NotFound) return false;
    throw error;
  }
}

/**
 * Deletes every version of every object in a bucket whose key starts with the prefix. Calls `progress` with the count so
 * far and returns the total.
 */
export async function emptyBucket(
  sdk: SdkConfig,
  Bucket: string,
  progress: (deleted: number) => void,
  Prefix = "",
): Promise<number> {
  const { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } = await import("@aws-sdk/client-s3");
  const client = new S3Client(sdk);
  let deleted = 0;
  for (;;) {
    // Always the first page: the versions listed before are deleted.
    const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket, Prefix }));
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key = "", VersionId }) => ({ Key, VersionId }));
    if (Objects.length === 0) return deleted;
    const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
    const [failed] = Errors;
    if (failed) {
      throw new Failure(`Cannot delete ${failed.Key} in bucket ${Bucket}: ${failed.Code} ${failed.Message ?? ""}`);
    }
    deleted += Objects.length;
    progress(deleted);
  }
}

/** Deletes an empty bucket. */
export async function deleteBucket(sdk: SdkConfig, Bucket: string): Promise<void> {
  const { DeleteBucketCommand, S3Client } = await import("@aws-sdk/client-s3");
  await new S3Client(sdk).send(new DeleteBucketCommand({ Bucket }));
}

/** Opens a bucket to read and write its objects. */
export async function openObjects(sdk: S3ClientConfig, bucket: string): Promise<ObjectStore> {
  const [{ S3Client }, { s3ObjectStore }] = await Promise.all([
    import("@aws-sdk/client-s3"),
    import("../../lib/platform/aws/s3-object-store.ts"),
  ]);
  return s3ObjectStore(new S3Client({ ...sdk, maxAttempts: 1 }), bucket);
}
