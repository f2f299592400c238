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
import type * as v from "valibot";
import type { LogHandlerEnv } from "../../functions/log-handler/env.ts";
import type { Names } from "../../lib/core/naming/names.ts";
import { PREFIXES } from "../../lib/core/naming/object-keys.ts";
import { REQUEST_LOG_FILTER_PATTERN } from "../../lib/search/request-log/marker.ts";
import type { Cloud } from "../cloud/front.ts";
import { createRole } from "./role.ts";

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
 * group, subscription, log-handler, Firehose. The bucket is there already.
 */
export async function createRequestLogPath(options: RequestLogOptions): Promise<RequestLogPath> {
  const { cloud, names } = options;
  const client = {
    endpoint: cloud.endpoint,
    region: cloud.region,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  };
  const logs = new CloudWatchLogsClient(client);
  const stream = names.stream("search-logs");
  const logGroupName = names.functionLogGroup("api-router");

  const [functionArn] = await Promise.all([
    createLogHandler(new LambdaClient(client), options, stream),
    createStream(new FirehoseClient(client), options, stream),
    logs
      .send(new CreateLogGroupCommand({ logGroupName }))
      .then(() => logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName: LOG_STREAM }))),
  ]);
  await logs.send(
    new PutSubscriptionFilterCommand({
      logGroupName,
      filterName: "request-log",
      filterPattern: REQUEST_LOG_FILTER_PATTERN,
      destinationArn: functionArn,
    }),
  );
  return {
    bucket: names.bucket(),
    async put(lines) {
      const timestamp = Date.now();
      const logEvents = lines.map((message) => ({ timestamp, message }));
      await logs.send(new PutLogEventsCommand({ logGroupName, logStreamName: LOG_STREAM, logEvents }));
    },
  };
}

async function createLogHandler(lambda: LambdaClient, options: RequestLogOptions, stream: string): Promise<string> {
  const { cloud, names, project, zip } = options;
  const role = names.functionRole("log-handler");
  await createRole(cloud, role);
  const { FunctionArn } = await lambda.send(
    new CreateFunctionCommand({
      FunctionName: names.function("log-handler"),
      Runtime: "nodejs22.x",
      Handler: "index.handler",
      Role: names.roleArn(role),
      Code: { ZipFile: readFileSync(zip) },
      Timeout: 60,
      Environment: {
        Variables: { PROJECT_NAME: project, FIREHOSE_STREAM: stream } satisfies v.InferInput<typeof LogHandlerEnv>,
      },
    }),
  );
  if (FunctionArn === undefined) throw new Error("the local cloud gave log-handler no ARN");
  return FunctionArn;
}

async function createStream(firehose: FirehoseClient, options: RequestLogOptions, stream: string) {
  const { cloud, names } = options;
  const role = names.role("search-logs-delivery");
  await createRole(cloud, role);
  await firehose.send(
    new CreateDeliveryStreamCommand({
      DeliveryStreamName: stream,
      DeliveryStreamType: "DirectPut",
      ExtendedS3DestinationConfiguration: {
        RoleARN: names.roleArn(role),
        BucketARN: names.bucketArn(),
        Prefix: PREFIXES.searchLogs,
        ErrorOutputPrefix: PREFIXES.deliveryErrors,
        CompressionFormat: "GZIP",
      },
    }),
  );
}
