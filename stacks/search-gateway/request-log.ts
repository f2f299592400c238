import { GlueCatalogDatabase } from "#aws/glue-catalog-database";
import { GlueCatalogTable } from "#aws/glue-catalog-table";
import { EVENT_LOG_COLUMNS, SEARCH_LOG_COLUMNS } from "../../lib/platform/contract/log-columns.ts";
import { PREFIXES } from "../../lib/platform/naming/object-keys.ts";
import { literal, type ProjectStack } from "../project-stack.ts";

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
