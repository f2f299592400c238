import { GlueCatalogDatabase } from "@cdktf/provider-aws/lib/glue-catalog-database/index.js";
import { GlueCatalogTable } from "@cdktf/provider-aws/lib/glue-catalog-table/index.js";
import { PREFIXES } from "../../lib/core/naming/object-keys.ts";
import { literal } from "../constructs/literal.ts";
import type { ProjectStack } from "../project-stack.ts";

const DEGRADED = "array<struct<stage:string,target:string,reason:string,effect:string>>";
const SETTINGS = "struct<weights:array<double>,normalization:string,combination:string>";

/** The fields of lib/request-log/line.ts, in their order. */
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
    `struct<index:string,endpoint:string,settings:${SETTINGS},personalized:boolean,degraded:${DEGRADED},` +
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

/** Adds the request log as a table for Athena. Readers deduplicate by `query_id`. */
export function requestLogTable(stack: ProjectStack): void {
  const { names, input } = stack;
  const location = `s3://${names.bucket()}/${PREFIXES.searchLogs}`;
  const database = new GlueCatalogDatabase(stack, "log-database", {
    name: names.glueDatabase(),
    description: `${input.config.project.project_name}: request log of the search gateway`,
  });
  new GlueCatalogTable(stack, "log-table", {
    databaseName: database.name,
    name: names.glueTable("search_logs"),
    description:
      "One row a search, in the fields of the User Behavior Insights query schema; may hold a query_id twice",
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
      columns: COLUMNS.map(([name, type]) => ({ name, type })),
    },
  });
}
