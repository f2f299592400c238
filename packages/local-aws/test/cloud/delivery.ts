import {
  CreateDeliveryStreamCommand,
  type ExtendedS3DestinationConfiguration,
  FirehoseClient,
  PutRecordBatchCommand,
} from "@aws-sdk/client-firehose";
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { waitFor } from "@relevance/processes/wait.ts";
import { clientOptions, type TestCloud } from "../../../../test/fixtures/cloud.ts";
import { createRole, unique } from "./functions.ts";

/** Returns functions that create buckets and streams in a cloud, put records, and read what arrives. */
export function deliveries(cloud: TestCloud) {
  const firehose = new FirehoseClient(clientOptions(cloud));
  const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });

  async function createBucket(): Promise<string> {
    const Bucket = unique("bucket");
    await s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration: { LocationConstraint: "eu-west-1" } }));
    return Bucket;
  }

  async function createStream(bucket: string, more: Partial<ExtendedS3DestinationConfiguration> = {}): Promise<string> {
    const DeliveryStreamName = unique("stream");
    const RoleARN = await createRole(cloud);
    const ExtendedS3DestinationConfiguration = { RoleARN, BucketARN: `arn:aws:s3:::${bucket}`, ...more };
    await firehose.send(new CreateDeliveryStreamCommand({ DeliveryStreamName, ExtendedS3DestinationConfiguration }));
    return DeliveryStreamName;
  }

  const put = (stream: string, ...texts: string[]) =>
    firehose.send(
      new PutRecordBatchCommand({
        DeliveryStreamName: stream,
        Records: texts.map((text) => ({ Data: Buffer.from(text) })),
      }),
    );

  /** Waits until a bucket has objects, then returns their keys. */
  const objects = (bucket: string) =>
    waitFor(
      async () => {
        const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
        return Contents?.map(({ Key = "" }) => Key);
      },
      { what: `an object in ${bucket}`, timeoutMs: 60_000, intervalMs: 20 },
    );

  async function read(bucket: string, key: string): Promise<Buffer> {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }

  return { s3, createBucket, createStream, put, objects, read };
}
