import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { FirehoseClient } from "@aws-sdk/client-firehose";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { type BucketLocationConstraint, CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { SFNClient } from "@aws-sdk/client-sfn";
import { SQSClient } from "@aws-sdk/client-sqs";
import { rootOptions } from "@relevance/local-aws/cloud/account.ts";
import type { Cloud } from "@relevance/local-aws/cloud/front.ts";

/** Returns clients of the local AWS endpoint, with which the local stack creates what Terraform creates in AWS. */
export function localClients(cloud: Pick<Cloud, "endpoint" | "region">) {
  const options = rootOptions(cloud);
  return {
    s3: new S3Client({ ...options, forcePathStyle: true }),
    dynamo: new DynamoDBClient(options),
    sqs: new SQSClient(options),
    firehose: new FirehoseClient(options),
    lambda: new LambdaClient(options),
    logs: new CloudWatchLogsClient(options),
    states: new SFNClient(options),
  };
}

/** Clients of the local AWS endpoint. */
export type LocalClients = ReturnType<typeof localClients>;

/** Creates the project's bucket, which both services write to. */
export async function createBucket(s3: S3Client, Bucket: string, region: string): Promise<void> {
  const LocationConstraint = region as BucketLocationConstraint;
  await s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration: { LocationConstraint } }));
}
