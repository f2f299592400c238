import type { ProfileDataset } from "../../platform/contract/recommendation.ts";
import type { TableName } from "../../platform/naming/names.ts";

/** The column that holds a record's id. */
export const ID_COLUMNS = { user: "USER_ID", item: "ITEM_ID" } as const satisfies Record<ProfileDataset, string>;

/** Keys of the records in the popular-items table: most popular items, newest items, and event types of the last ETL. */
export const POPULAR_ITEMS_KEY = { LIST: "all" } as const;
export const NEWEST_ITEMS_KEY = { LIST: "newest" } as const;
export const EVENT_TYPES_KEY = { LIST: "event-types" } as const;

/** Name of the built-in engine's table's key. */
export const BUILT_IN_KEY = "KEY";

/** Name of the training table's key. */
export const TRAINING_KEY = "KEY";

/**
 * Name of the ingestion table's key, such as `2025-03-02#7`. A record counts the events that the function instances of one
 * shard accepted on one day, in UTC. See EventCounter for what the counts guarantee.
 */
export const INGESTION_KEY = "DAY_SHARD";

/** Attribute for DynamoDB's time to live, in epoch seconds, of the tables that have it. */
export const EXPIRES = "EXPIRES";
export const EXPIRING: readonly TableName[] = ["ingestion", "built-in"];

/**
 * Key of each DynamoDB table; all are strings. Repeats the names above, since bundles of functions would keep
 * references to them.
 */
export const TABLE_KEYS: Readonly<Record<TableName, string>> = {
  users: "USER_ID" satisfies typeof ID_COLUMNS.user,
  items: "ITEM_ID" satisfies typeof ID_COLUMNS.item,
  "popular-items": "LIST" satisfies keyof typeof POPULAR_ITEMS_KEY,
  "built-in": "KEY" satisfies typeof BUILT_IN_KEY,
  training: "KEY" satisfies typeof TRAINING_KEY,
  ingestion: "DAY_SHARD" satisfies typeof INGESTION_KEY,
};

/** Names of the tables. Marked as pure, so that bundles of functions leave it out. */
export const TABLES = /* @__PURE__ */ Object.keys(TABLE_KEYS) as TableName[];
