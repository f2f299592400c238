import type { TableName } from "../core/naming/names.ts";
import { INGESTION_KEYS } from "../recommendation/clients/accepted-events.ts";
import { POPULAR_ITEMS_KEY } from "../recommendation/clients/dynamo-tables.ts";
import { ID_COLUMNS } from "../recommendation/records/profile.ts";
import { TRAINING_KEY } from "../recommendation/training/state.ts";

/** Key attributes of each DynamoDB table; all are strings. */
export const TABLE_KEYS: Readonly<Record<TableName, readonly [partition: string, sort?: string]>> = {
  users: [ID_COLUMNS.user],
  items: [ID_COLUMNS.item],
  "popular-items": [Object.keys(POPULAR_ITEMS_KEY)[0] as keyof typeof POPULAR_ITEMS_KEY],
  training: [TRAINING_KEY],
  ingestion: [INGESTION_KEYS.partition, INGESTION_KEYS.sort],
};

/** Names of the tables. */
export const TABLES = Object.keys(TABLE_KEYS) as TableName[];
