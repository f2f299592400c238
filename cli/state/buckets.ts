import type { BucketLocationConstraint } from "@aws-sdk/client-s3";
import { Failure } from "../errors.ts";
import type { Session } from "../session.ts";

type Sdk = Session["sdk"];

/** Returns whether the bucket exists and is accessible. Throws the SDK's error for a bucket of another account. */
export async function bucketExists(sdk: Sdk, Bucket: string): Promise<boolean> {
  const { HeadBucketCommand, NotFound, S3Client } = await import("@aws-sdk/client-s3");
  try {
    await new S3Client(sdk).send(new HeadBucketCommand({ Bucket }));
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
  sdk: Sdk,
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
export async function deleteBucket(sdk: Sdk, Bucket: string): Promise<void> {
  const { DeleteBucketCommand, S3Client } = await import("@aws-sdk/client-s3");
  await new S3Client(sdk).send(new DeleteBucketCommand({ Bucket }));
}

/**
 * Creates a bucket for Terraform's state: versioned, encrypted, no public access, TLS only. An existing bucket gets the
 * same settings. Returns whether the bucket is new.
 */
export async function createStateBucket(sdk: Sdk, Bucket: string, partition: string): Promise<boolean> {
  const s3 = await import("@aws-sdk/client-s3");
  const client = new s3.S3Client(sdk);
  const isNew = !(await bucketExists(sdk, Bucket));
  if (isNew) {
    const LocationConstraint = sdk.region as BucketLocationConstraint;
    await client.send(
      new s3.CreateBucketCommand({
        Bucket,
        // S3 rejects us-east-1 as a location constraint.
        ...(sdk.region !== "us-east-1" && { CreateBucketConfiguration: { LocationConstraint } }),
      }),
    );
    await s3.waitUntilBucketExists({ client, maxWaitTime: 60 }, { Bucket });
  }
  await client.send(
    new s3.PutPublicAccessBlockCommand({
      Bucket,
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    }),
  );
  await client.send(new s3.PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: "Enabled" } }));
  await client.send(
    new s3.PutBucketEncryptionCommand({
      Bucket,
      ServerSideEncryptionConfiguration: {
        Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: "aws:kms" }, BucketKeyEnabled: true }],
      },
    }),
  );
  await client.send(new s3.PutBucketPolicyCommand({ Bucket, Policy: tlsOnly(Bucket, partition) }));
  return isNew;
}

function tlsOnly(bucket: string, partition: string): string {
  const arn = `arn:${partition}:s3:::${bucket}`;
  const Statement = {
    Sid: "TlsOnly",
    Effect: "Deny",
    Principal: "*",
    Action: "s3:*",
    Resource: [arn, `${arn}/*`],
    Condition: { Bool: { "aws:SecureTransport": "false" } },
  };
  return JSON.stringify({ Version: "2012-10-17", Statement: [Statement] });
}
