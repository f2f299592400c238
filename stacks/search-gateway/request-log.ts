import { CloudwatchLogSubscriptionFilter } from "@cdktf/provider-aws/lib/cloudwatch-log-subscription-filter/index.js";
import { LambdaPermission } from "@cdktf/provider-aws/lib/lambda-permission/index.js";
import type { LogHandlerEnv } from "../../functions/log-handler/env.ts";
import { logHandlerPolicy } from "../../functions/log-handler/policy.ts";
import { logHandler } from "../../lib/infrastructure/functions.ts";
import { REQUEST_LOG_FILTER_PATTERN } from "../../lib/search/request-log/line.ts";
import { deliveryStream } from "../constructs/delivery-stream.ts";
import { type DeployedFunction, lambdaFunction } from "../constructs/function.ts";
import type { ProjectStack } from "../project-stack.ts";

const BUFFER_SECONDS = 300;

/** Adds the delivery of the request log: api-router's log group, log-handler, delivery stream, bucket. */
export function requestLog(stack: ProjectStack, router: DeployedFunction, logKeyArn: string): DeployedFunction {
  const { names, input } = stack;
  const stream = deliveryStream(stack, {
    name: "search-logs",
    what: "Request log",
    keyArn: logKeyArn,
    bufferSeconds: BUFFER_SECONDS,
  });
  const settings = logHandler(names, input.config.project.project_name);
  const handler = lambdaFunction(stack, {
    name: "log-handler",
    description: "Request log lines to the delivery stream",
    ...settings,
    environment: settings.environment satisfies LogHandlerEnv,
    statements: logHandlerPolicy({
      firehoseStream: names.arn("firehose", `deliverystream/${names.stream("search-logs")}`),
      logGroup: names.arn("logs", `log-group:${names.functionLogGroup("log-handler")}`),
    }),
    logKeyArn,
    provisionedConcurrency: input.config.api.provisioned_concurrency.log_handler,
  });
  const permission = new LambdaPermission(stack, "request-log-permission", {
    statementId: "RequestLog",
    action: "lambda:InvokeFunction",
    functionName: handler.function.functionName,
    qualifier: handler.alias.name,
    principal: "logs.amazonaws.com",
    sourceArn: `${router.logGroup.arn}:*`,
    sourceAccount: input.discovery.account,
  });
  new CloudwatchLogSubscriptionFilter(stack, "request-log", {
    name: "request-log",
    logGroupName: router.logGroup.name,
    filterPattern: REQUEST_LOG_FILTER_PATTERN,
    destinationArn: handler.alias.arn,
    dependsOn: [permission, stream, ...handler.ready],
  });
  return handler;
}
