import { CloudwatchLogGroup } from "@cdktf/provider-aws/lib/cloudwatch-log-group/index.js";
import { CloudwatchLogStream } from "@cdktf/provider-aws/lib/cloudwatch-log-stream/index.js";
import { CloudwatchLogSubscriptionFilter } from "@cdktf/provider-aws/lib/cloudwatch-log-subscription-filter/index.js";
import { KinesisFirehoseDeliveryStream } from "@cdktf/provider-aws/lib/kinesis-firehose-delivery-stream/index.js";
import { LambdaPermission } from "@cdktf/provider-aws/lib/lambda-permission/index.js";
import type { LogHandlerEnv } from "../../functions/log-handler/env.ts";
import { logHandlerPolicy } from "../../functions/log-handler/policy.ts";
import { writeLogs } from "../../lib/iam/statement.ts";
import { PREFIXES } from "../../lib/naming/object-keys.ts";
import { REQUEST_LOG_FILTER_PATTERN } from "../../lib/request-log/marker.ts";
import { type DeployedFunction, lambdaFunction } from "../constructs/function.ts";
import { rolePolicy, serviceRole } from "../constructs/iam.ts";
import { useProjectKey } from "../constructs/keys.ts";
import type { ProjectStack } from "../project-stack.ts";

const LOG_DAYS = 30;

/** Firehose writes an object when one of both is reached. */
const BUFFER_SECONDS = 300;
const BUFFER_MEGABYTES = 64;

/** The way of the request log: log group of api-router, log-handler, delivery stream, bucket. */
export function requestLog(stack: ProjectStack, router: DeployedFunction, logKeyArn: string): DeployedFunction {
  const { names, input } = stack;
  const stream = deliveryStream(stack, logKeyArn);
  const handler = lambdaFunction(stack, {
    name: "log-handler",
    description: "Request log lines to the delivery stream",
    memoryMb: 256,
    timeoutSeconds: 60,
    environment: {
      PROJECT_NAME: input.config.project.project_name,
      FIREHOSE_STREAM: names.stream("search-logs"),
    } satisfies LogHandlerEnv,
    statements: logHandlerPolicy({
      firehoseStream: names.arn("firehose", `deliverystream/${names.stream("search-logs")}`),
      logGroup: names.arn("logs", `log-group:${names.functionLogGroup("log-handler")}`),
    }),
    logRetentionDays: LOG_DAYS,
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

function deliveryStream(stack: ProjectStack, logKeyArn: string): KinesisFirehoseDeliveryStream {
  const { names, input } = stack;
  const { account } = input.discovery;
  const role = serviceRole(stack, "delivery-role", {
    name: names.role("search-logs-delivery"),
    description: `Request log of ${input.config.project.project_name} to its bucket`,
    service: "firehose.amazonaws.com",
    conditions: { StringEquals: { "sts:ExternalId": account } },
  });
  const group = new CloudwatchLogGroup(stack, "delivery-log", {
    name: names.streamLogGroup("search-logs"),
    retentionInDays: LOG_DAYS,
    kmsKeyId: logKeyArn,
  });
  const logStream = new CloudwatchLogStream(stack, "delivery-log-stream", {
    name: "errors",
    logGroupName: group.name,
  });
  const bucket = names.bucketArn();
  const policy = rolePolicy(stack, "delivery-policy", role, [
    { sid: "FindTheBucket", actions: ["s3:GetBucketLocation", "s3:ListBucketMultipartUploads"], resources: [bucket] },
    {
      sid: "WriteObjects",
      actions: ["s3:AbortMultipartUpload", "s3:PutObject"],
      resources: [`${bucket}/${PREFIXES.searchLogs}*`, `${bucket}/${PREFIXES.deliveryErrors}*`],
    },
    useProjectKey(names, ["kms:Decrypt", "kms:GenerateDataKey"]),
    writeLogs(names.arn("logs", `log-group:${names.streamLogGroup("search-logs")}`)),
  ]);
  return new KinesisFirehoseDeliveryStream(stack, "delivery", {
    name: names.stream("search-logs"),
    destination: "extended_s3",
    serverSideEncryption: { enabled: true, keyType: "CUSTOMER_MANAGED_CMK", keyArn: logKeyArn },
    extendedS3Configuration: {
      roleArn: role.arn,
      bucketArn: bucket,
      // Athena finds days by this name, without a crawler.
      prefix: `${PREFIXES.searchLogs}day=!{timestamp:yyyy-MM-dd}/`,
      errorOutputPrefix: `${PREFIXES.deliveryErrors}search-logs/!{firehose:error-output-type}/day=!{timestamp:yyyy-MM-dd}/`,
      compressionFormat: "GZIP",
      bufferingInterval: BUFFER_SECONDS,
      bufferingSize: BUFFER_MEGABYTES,
      cloudwatchLoggingOptions: { enabled: true, logGroupName: group.name, logStreamName: logStream.name },
    },
    dependsOn: [policy],
  });
}
