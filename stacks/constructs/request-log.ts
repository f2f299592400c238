import { CloudwatchLogSubscriptionFilter } from "#aws/cloudwatch-log-subscription-filter";
import { LambdaEventSourceMapping } from "#aws/lambda-event-source-mapping";
import { LambdaFunctionEventInvokeConfig } from "#aws/lambda-function-event-invoke-config";
import { LambdaPermission } from "#aws/lambda-permission";
import type { LogHandlerEnv } from "../../functions/log-handler/env.ts";
import { logHandlerPolicy } from "../../functions/log-handler/policy.ts";
import { FAILED_LOG_QUEUE, logHandler, REQUEST_LOGS } from "../../lib/infrastructure/functions.ts";
import { type RequestLogKind, requestLogFilterPattern } from "../../lib/platform/request-log/kinds.ts";
import type { ProjectStack } from "../project-stack.ts";
import { deliveryStream } from "./delivery-stream.ts";
import { type DeployedFunction, lambdaFunction } from "./function.ts";

const BUFFER_SECONDS = 300;

interface RequestLog {
  kind: RequestLogKind;
  /** The writer of the log group. */
  source: DeployedFunction;
  /** Prefix of the ids of the delivery stream, if the stack has another one. */
  streamId?: string;
  logKeyArn: string;
  provisionedConcurrency?: Parameters<typeof lambdaFunction>[1]["provisionedConcurrency"];
}

/** Days that the log group keeps lines at most. Short, since they name users, and the bucket keeps them. */
export const MOST_LOG_DAYS = 3;

/** Adds the delivery of a request log: log group of its function, handler, delivery stream, bucket. */
export function requestLog(stack: ProjectStack, { kind, source, logKeyArn, ...options }: RequestLog): void {
  const { names, input } = stack;
  const path = REQUEST_LOGS[kind];
  const stream = deliveryStream(stack, {
    name: path.stream,
    ...(options.streamId !== undefined && { id: options.streamId }),
    what: "Request log",
    keyArn: logKeyArn,
    bufferSeconds: BUFFER_SECONDS,
  });
  const settings = logHandler(names, input.config.project.project_name, kind);
  const handler = lambdaFunction(stack, {
    name: path.handler,
    description: "Request log lines to the delivery stream",
    ...settings,
    environment: settings.environment satisfies LogHandlerEnv,
    statements: logHandlerPolicy({
      firehoseStream: names.arn("firehose", `deliverystream/${names.stream(path.stream)}`),
      failedEvents: names.arn("sqs", names.queue(path.failed)),
      logGroup: names.arn("logs", `log-group:${names.functionLogGroup(path.handler)}`),
    }),
    logKeyArn,
    provisionedConcurrency: options.provisionedConcurrency,
  });
  const redelivery = failedEvents(stack, handler, path.failed);
  const permission = new LambdaPermission(stack, "request-log-permission", {
    statementId: "RequestLog",
    action: "lambda:InvokeFunction",
    functionName: handler.function.functionName,
    qualifier: handler.alias.name,
    principal: "logs.amazonaws.com",
    sourceArn: `${source.logGroup.arn}:*`,
    sourceAccount: input.discovery.account,
  });
  new CloudwatchLogSubscriptionFilter(stack, "request-log", {
    name: "request-log",
    logGroupName: source.logGroup.name,
    filterPattern: requestLogFilterPattern(kind),
    destinationArn: handler.alias.arn,
    dependsOn: [permission, stream, redelivery, ...handler.ready],
  });
}

/**
 * Keeps events that the handler could not deliver and brings them back. CloudWatch Logs invokes it asynchronously, where
 * Lambda drops an event after three attempts within minutes, and Firehose may throttle for longer than that.
 */
function failedEvents(
  stack: ProjectStack,
  handler: DeployedFunction,
  name: (typeof REQUEST_LOGS)[RequestLogKind]["failed"],
): LambdaFunctionEventInvokeConfig {
  const { names } = stack;
  const queue = stack.queue("request-log-failed", names.queue(name), {
    visibilityTimeoutSeconds: FAILED_LOG_QUEUE.visibilityTimeoutSeconds,
    messageRetentionSeconds: FAILED_LOG_QUEUE.retentionDays * 86_400,
  });
  new LambdaEventSourceMapping(stack, "request-log-again", {
    eventSourceArn: queue.arn,
    functionName: handler.alias.arn,
    batchSize: FAILED_LOG_QUEUE.batchSize,
    scalingConfig: { maximumConcurrency: FAILED_LOG_QUEUE.maximumConcurrency },
    dependsOn: handler.ready,
  });
  return new LambdaFunctionEventInvokeConfig(stack, "request-log-on-failure", {
    functionName: handler.function.functionName,
    qualifier: handler.alias.name,
    maximumRetryAttempts: 2,
    // The longest, for what Lambda itself throttles.
    maximumEventAgeInSeconds: 21_600,
    destinationConfig: { onFailure: { destination: queue.arn } },
    dependsOn: handler.ready,
  });
}
