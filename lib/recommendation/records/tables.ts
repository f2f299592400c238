import type { TableName } from "../../core/naming/names.ts";

/** The column that holds a record's id. */
export const ID_COLUMNS = { user: "USER_ID", item: "ITEM_ID" } as const;

/** The key of the only record in the popular-items table. */
export const POPULAR_ITEMS_KEY = { LIST: "all" } as const;

/** Name of the training table's key. */
export const TRAINING_KEY = "KEY";

/**
 * Keys of the ingestion table. A record counts the events that the function instances of one shard accepted on one day,
 * in UTC. See EventCounter for what the counts guarantee.
 */
export const INGESTION_KEYS = { partition: "DAY", sort: "SHARD" } as const;

/** The ingestion table's attribute for DynamoDB's time to live, in epoch seconds. */
export const INGESTION_EXPIRES = "EXPIRES";

/** Key attributes of each DynamoDB table; all are strings. */
export const TABLE_KEYS: Readonly<Record<TableName, readonly [partition: string, sort?: string]>> = {
  users: [ID_COLUMNS.user],
  items: [ID_COLUMNS.item],
  "popular-items": ["LIST" satisfies keyof typeof POPULAR_ITEMS_KEY],
  training: [TRAINING_KEY],
  ingestion: [INGESTION_KEYS.partition, INGESTION_KEYS.sort],
};

/** Names of the tables. Marked as pure, so that bundles of functions leave it out. */
export const TABLES = /* @__PURE__ */ Object.keys(TABLE_KEYS) as TableName[];
