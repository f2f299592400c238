import { CloudwatchLogSubscriptionFilter } from "@cdktf/provider-aws/lib/cloudwatch-log-subscription-filter/index.js";
import { GlueCatalogDatabase } from "@cdktf/provider-aws/lib/glue-catalog-database/index.js";
import { GlueCatalogTable } from "@cdktf/provider-aws/lib/glue-catalog-table/index.js";
import { LambdaPermission } from "@cdktf/provider-aws/lib/lambda-permission/index.js";
import type { LogHandlerEnv } from "../../functions/log-handler/env.ts";
import { logHandlerPolicy } from "../../functions/log-handler/policy.ts";
import { PREFIXES } from "../../lib/core/naming/object-keys.ts";
import { logHandler } from "../../lib/infrastructure/functions.ts";
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

const DEGRADED = "array<struct<stage:string,target:string,reason:string,effect:string>>";
const SETTINGS = "struct<weights:array<double>,normalization:string,combination:string>";

/** The fields of lib/search/request-log/line.ts, in their order. */
const COLUMNS: ReadonlyArray<readonly [name: string, type: string]> = [
  ["type", "string"],
  ["application", "string"],
  ["query_id", "string"],
  ["client_id", "string"],
  ["user_id", "string"],
  ["user_query", "string"],
  ["query", "string"],
  [
    "query_attributes",
    `struct<index:string,endpoint:string,settings:${SETTINGS},experiment:struct<name:string,variant:string>,personalized:boolean,degraded:${DEGRADED},` +
      "milliseconds:map<string,double>,log_error:string,key:string>",
  ],
  ["timestamp", "string"],
  ["object_id_field", "string"],
  ["query_response_id", "string"],
  ["query_response_hit_ids", "array<string>"],
  ["total", "bigint"],
  ["truncated", "boolean"],
];

/** The first day of the table; earlier ones have expired or never existed. */
const FIRST_DAY = "2024-01-01";

const OBJECT = "struct<object_id:string,object_id_type:string,object_id_field:string,internal_id:string>";
const POSITION = "struct<ordinal:bigint,xy:struct<x:double,y:double>>";

/** The fields of lib/search/request-log/ubi-event.ts. */
const EVENT_COLUMNS: typeof COLUMNS = [
  ["type", "string"],
  ["application", "string"],
  ["query_id", "string"],
  ["client_id", "string"],
  ["user_id", "string"],
  ["session_id", "string"],
  ["action_name", "string"],
  ["timestamp", "string"],
  ["message_type", "string"],
  ["message", "string"],
  ["event_attributes", `struct<object:${OBJECT},position:${POSITION}>`],
  ["key", "string"],
  ["received_at", "string"],
];

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
    columns: COLUMNS,
  });
  linesTable(stack, database, {
    id: "events-table",
    name: "search_events",
    description: "One row an event, in the fields of the User Behavior Insights event schema; may hold an event twice",
    prefix: PREFIXES.searchEvents,
    columns: EVENT_COLUMNS,
  });
}

interface LinesTable {
  id: string;
  name: Parameters<ProjectStack["names"]["glueTable"]>[0];
  description: string;
  /** Folder of the folders of days. */
  prefix: string;
  columns: typeof COLUMNS;
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
      columns: table.columns.map(([name, type]) => ({ name, type })),
    },
  });
}
