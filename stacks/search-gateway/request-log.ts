import { CloudwatchLogSubscriptionFilter } from "#aws/cloudwatch-log-subscription-filter";
import { GlueCatalogDatabase } from "#aws/glue-catalog-database";
import { GlueCatalogTable } from "#aws/glue-catalog-table";
import { LambdaEventSourceMapping } from "#aws/lambda-event-source-mapping";
import { LambdaFunctionEventInvokeConfig } from "#aws/lambda-function-event-invoke-config";
import { LambdaPermission } from "#aws/lambda-permission";
import { SqsQueue } from "#aws/sqs-queue";
import type { LogHandlerEnv } from "../../functions/log-handler/env.ts";
import { logHandlerPolicy } from "../../functions/log-handler/policy.ts";
import { EVENT_LOG_COLUMNS, SEARCH_LOG_COLUMNS } from "../../lib/core/contract/log-columns.ts";
import { PREFIXES } from "../../lib/core/naming/object-keys.ts";
import { FAILED_LOG_QUEUE, logHandler } from "../../lib/infrastructure/functions.ts";
import { REQUEST_LOG_FILTER_PATTERN } from "../../lib/search/request-log/line.ts";
import { deliveryStream } from "../constructs/delivery-stream.ts";
import { type DeployedFunction, lambdaFunction } from "../constructs/function.ts";
import { literal, type ProjectStack } from "../project-stack.ts";

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
      failedEvents: names.arn("sqs", names.queue("request-log-failed")),
      logGroup: names.arn("logs", `log-group:${names.functionLogGroup("log-handler")}`),
    }),
    logKeyArn,
    provisionedConcurrency: input.config.api.provisioned_concurrency.log_handler,
  });
  const redelivery = failedEvents(stack, handler);
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
    dependsOn: [permission, stream, redelivery, ...handler.ready],
  });
  return handler;
}

/**
 * Keeps events that log-handler could not deliver and brings them back. CloudWatch Logs invokes it asynchronously, where
 * Lambda drops an event after three attempts within minutes, and Firehose may throttle for longer than that.
 */
function failedEvents(stack: ProjectStack, handler: DeployedFunction): LambdaFunctionEventInvokeConfig {
  const { names } = stack;
  const queue = new SqsQueue(stack, "request-log-failed", {
    name: names.queue("request-log-failed"),
    visibilityTimeoutSeconds: FAILED_LOG_QUEUE.visibilityTimeoutSeconds,
    messageRetentionSeconds: FAILED_LOG_QUEUE.retentionDays * 86_400,
    sqsManagedSseEnabled: true,
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

/** The first day of the table; earlier ones have expired or never existed. */
const FIRST_DAY = "2024-01-01";

/** Adds the request log and the events of searches as tables for Athena. Readers deduplicate. */
export function requestLogTables(stack: ProjectStack): void {
  const { names, input } = stack;
  const database = new GlueCatalogDatabase(stack, "log-database", {
    name: names.glueDatabase(),
    description: `${input.config.project.project_name}: request log of the search gateway`,
  });
  linesTable(stack, database, {
    id: "log-table",
    name: "search_logs",
    description:
      "One row a search, in the fields of the User Behavior Insights query schema; may hold a query_id twice",
    prefix: PREFIXES.searchLogs,
    columns: SEARCH_LOG_COLUMNS,
  });
  linesTable(stack, database, {
    id: "events-table",
    name: "search_events",
    description: "One row an event, in the fields of the User Behavior Insights event schema; may hold an event twice",
    prefix: PREFIXES.searchEvents,
    columns: EVENT_LOG_COLUMNS,
  });
}

interface LinesTable {
  id: string;
  name: Parameters<ProjectStack["names"]["glueTable"]>[0];
  description: string;
  /** Folder of the folders of days. */
  prefix: string;
  columns: Readonly<Record<string, string>>;
}

/** Adds a table over objects of JSON lines, by day of arrival. */
function linesTable(stack: ProjectStack, database: GlueCatalogDatabase, table: LinesTable): void {
  const { names } = stack;
  const location = `s3://${names.bucket()}/${table.prefix}`;
  new GlueCatalogTable(stack, table.id, {
    databaseName: database.name,
    name: names.glueTable(table.name),
    description: table.description,
    tableType: "EXTERNAL_TABLE",
    partitionKeys: [{ name: "day", type: "date" }],
    parameters: {
      EXTERNAL: "TRUE",
      classification: "json",
      "projection.enabled": "true",
      "projection.day.type": "date",
      "projection.day.format": "yyyy-MM-dd",
      "projection.day.range": `${FIRST_DAY},NOW`,
      "storage.location.template": `${location}${literal(`day=\${day}/`)}`,
    },
    storageDescriptor: {
      location,
      inputFormat: "org.apache.hadoop.mapred.TextInputFormat",
      outputFormat: "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
      serDeInfo: {
        serializationLibrary: "org.openx.data.jsonserde.JsonSerDe",
        // A truncated line becomes a row of nulls instead of failing every query.
        parameters: { "ignore.malformed.json": "true" },
      },
      columns: Object.entries(table.columns).map(([name, type]) => ({ name, type })),
    },
  });
}
