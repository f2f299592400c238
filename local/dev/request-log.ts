import { readFileSync } from "node:fs";
import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  CreateLogStreamCommand,
  PutLogEventsCommand,
  PutSubscriptionFilterCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { CreateDeliveryStreamCommand, FirehoseClient } from "@aws-sdk/client-firehose";
import { CreateFunctionCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import type * as v from "valibot";
import type { LogHandlerEnv } from "../../functions/log-handler/env.ts";
import type { Names } from "../../lib/naming/names.ts";
import { PREFIXES } from "../../lib/naming/object-keys.ts";
import { REQUEST_LOG_FILTER_PATTERN } from "../../lib/request-log/marker.ts";
import type { Cloud } from "../cloud/front.ts";

export interface RequestLogOptions {
  cloud: Pick<Cloud, "endpoint" | "region">;
  names: Names;
  project: string;
  /** Archive of log-handler. */
  zip: string;
}

/** What goes from a function's log to the bucket, in the local cloud. */
export interface RequestLogPath {
  bucket: string;
  /** Writes lines to the log group of api-router, as Lambda does with its standard output. */
  put(lines: readonly string[]): Promise<void>;
}

const LOG_STREAM = "local";

/**
 * Makes the path of the request log in the local AWS endpoint, with the names and the function that are deployed: log
 * group, subscription, log-handler, Firehose, bucket. The local Firehose delivers at once and does not compress.
 */
export async function createRequestLogPath(options: RequestLogOptions): Promise<RequestLogPath> {
  const { cloud, names, project, zip } = options;
  const client = {
    endpoint: cloud.endpoint,
    region: cloud.region,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  };
  const logs = new CloudWatchLogsClient(client);
  const bucket = names.bucket();
  const stream = names.stream("search-logs");
  const logGroupName = names.functionLogGroup("api-router");

  const bucketMade = new S3Client({ ...client, forcePathStyle: true }).send(
    new CreateBucketCommand({
      Bucket: bucket,
      CreateBucketConfiguration: { LocationConstraint: cloud.region as "eu-west-1" },
    }),
  );
  const functionMade = new LambdaClient(client).send(
    new CreateFunctionCommand({
      FunctionName: names.function("log-handler"),
      Runtime: "nodejs22.x",
      Handler: "index.handler",
      Role: names.roleArn(names.functionRole("log-handler")),
      Code: { ZipFile: readFileSync(zip) },
      Timeout: 60,
      Environment: {
        Variables: { PROJECT_NAME: project, FIREHOSE_STREAM: stream } satisfies v.InferInput<typeof LogHandlerEnv>,
      },
    }),
  );
  const groupMade = logs
    .send(new CreateLogGroupCommand({ logGroupName }))
    .then(() => logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName: LOG_STREAM })));

  await bucketMade;
  await new FirehoseClient(client).send(
    new CreateDeliveryStreamCommand({
      DeliveryStreamName: stream,
      DeliveryStreamType: "DirectPut",
      ExtendedS3DestinationConfiguration: {
        RoleARN: names.roleArn(names.role("search-logs-delivery")),
        BucketARN: names.bucketArn(),
        Prefix: PREFIXES.searchLogs,
        ErrorOutputPrefix: PREFIXES.deliveryErrors,
      },
    }),
  );
  const { FunctionArn } = await functionMade;
  await groupMade;
  await logs.send(
    new PutSubscriptionFilterCommand({
      logGroupName,
      filterName: "request-log",
      filterPattern: REQUEST_LOG_FILTER_PATTERN,
      destinationArn: FunctionArn,
    }),
  );
  return {
    bucket,
    async put(lines) {
      const timestamp = Date.now();
      const logEvents = lines.map((message) => ({ timestamp, message }));
      await logs.send(new PutLogEventsCommand({ logGroupName, logStreamName: LOG_STREAM, logEvents }));
    },
  };
}
