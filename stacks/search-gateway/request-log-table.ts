import { GlueCatalogDatabase } from "@cdktf/provider-aws/lib/glue-catalog-database/index.js";
import { GlueCatalogTable } from "@cdktf/provider-aws/lib/glue-catalog-table/index.js";
import { PREFIXES } from "../../lib/core/naming/object-keys.ts";
import { literal } from "../constructs/literal.ts";
import type { ProjectStack } from "../project-stack.ts";

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
