import {
  CreateLogGroupCommand,
  CreateLogStreamCommand,
  PutLogEventsCommand,
  PutSubscriptionFilterCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { AddPermissionCommand } from "@aws-sdk/client-lambda";
import { LIVE_ALIAS, type Names } from "../../lib/core/naming/names.ts";
import { aliasArn, logHandler } from "../../lib/infrastructure/functions.ts";
import { REQUEST_LOG_FILTER_PATTERN } from "../../lib/search/request-log/line.ts";
import type { Cloud } from "../cloud/front.ts";
import type { LocalClients } from "./clients.ts";
import { createFunction, createStream } from "./resources.ts";

export interface RequestLogOptions {
  cloud: Pick<Cloud, "endpoint">;
  clients: LocalClients;
  names: Names;
  project: string;
  /** Path of log-handler's archive. */
  zip: string;
}

/** The path from a function's log to the bucket in the local cloud. */
export interface RequestLogPath {
  bucket: string;
  /** Writes lines to api-router's log group, as Lambda does with the function's standard output. */
  put(lines: readonly string[]): Promise<void>;
}

const LOG_STREAM = "local";

/**
 * Creates the request log's path in the local cloud, as deployed: log group, subscription, log-handler and Firehose
 * stream. The bucket must exist.
 */
export async function createRequestLogPath(options: RequestLogOptions): Promise<RequestLogPath> {
  const { clients, names, zip } = options;
  const { logs } = clients;
  const logGroupName = names.functionLogGroup("api-router");

  await Promise.all([
    createFunction(clients.lambda, options, "log-handler", { ...logHandler(names, options.project), zip }),
    createStream(clients.firehose, options, "search-logs"),
    logs
      .send(new CreateLogGroupCommand({ logGroupName }))
      .then(() => logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName: LOG_STREAM }))),
  ]);
  await clients.lambda.send(
    new AddPermissionCommand({
      FunctionName: names.function("log-handler"),
      Qualifier: LIVE_ALIAS,
      StatementId: "RequestLog",
      Action: "lambda:InvokeFunction",
      Principal: "logs.amazonaws.com",
    }),
  );
  await logs.send(
    new PutSubscriptionFilterCommand({
      logGroupName,
      filterName: "request-log",
      filterPattern: REQUEST_LOG_FILTER_PATTERN,
      destinationArn: aliasArn(names, "log-handler"),
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
