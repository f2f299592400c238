import type { Dataset } from "../../config/avro.ts";
import { METADATA_FIELDS, REQUIRED_FIELDS } from "../../personalize/limits.ts";
import type { ColumnType } from "./column-type.ts";

/** What Personalize and this service ask of a dataset's columns. */
interface DatasetRules {
  /** Columns without which a file is refused; a value in every row. */
  required: readonly string[];
  /** Fields in front of all others, in this order. */
  leading: readonly string[];
  /** Types that do not depend on the sample. */
  types: Readonly<Record<string, ColumnType>>;
  /** May be in the file, is no field of the schema: parts of an event beside its record. */
  beside: readonly string[];
  /** Fields that carry neither flag and cannot be textual: ids, IS_ACTIVE and what Personalize reserves. */
  unflagged: readonly string[];
  /** Columns beyond the required and reserved ones that Personalize takes (its quotas; IS_ACTIVE counts). */
  maxCustom: number;
}

/** By dataset; Personalize's part is facts of its developer guide, "Datasets and schemas". */
export const RULES: Readonly<Record<Dataset, DatasetRules>> = {
  user: {
    required: Object.keys(REQUIRED_FIELDS.user),
    leading: ["IS_ACTIVE", "USER_ID"],
    types: { USER_ID: "string", IS_ACTIVE: "string" },
    beside: [],
    unflagged: ["USER_ID", "IS_ACTIVE"],
    maxCustom: METADATA_FIELDS.user.max,
  },
  item: {
    required: Object.keys(REQUIRED_FIELDS.item),
    leading: ["IS_ACTIVE", "TEXTUAL_FIELD", "ITEM_ID"],
    types: { ITEM_ID: "string", IS_ACTIVE: "string", CREATION_TIMESTAMP: "long" },
    beside: [],
    unflagged: ["ITEM_ID", "IS_ACTIVE", "CREATION_TIMESTAMP", "TEXTUAL_FIELD"],
    maxCustom: METADATA_FIELDS.item.max,
  },
  interaction: {
    required: [...Object.keys(REQUIRED_FIELDS.interaction), "EVENT_TYPE"],
    leading: ["USER_ID", "ITEM_ID", "EVENT_TYPE", "EVENT_VALUE", "TIMESTAMP", "IMPRESSION"],
    types: {
      USER_ID: "string",
      ITEM_ID: "string",
      EVENT_TYPE: "string",
      EVENT_VALUE: "float",
      TIMESTAMP: "long",
      IMPRESSION: "string",
    },
    beside: ["EVENT_ID", "SESSION_ID", "RECOMMENDATION_ID"],
    unflagged: [
      "USER_ID",
      "ITEM_ID",
      "EVENT_TYPE",
      "EVENT_VALUE",
      "TIMESTAMP",
      "IMPRESSION",
      "EVENT_ATTRIBUTION_SOURCE",
    ],
    maxCustom: METADATA_FIELDS.interaction.max,
  },
};

/** The one field that all textual columns become. */
export const TEXTUAL_FIELD = "TEXTUAL_FIELD";

/** Between the texts of several textual columns. */
export const TEXT_SEPARATOR = "\n";
