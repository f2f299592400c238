import { METADATA_FIELDS, REQUIRED_FIELDS } from "../../personalize/limits.ts";
import { type ColumnType, type Dataset, PLACED_FIELDS } from "../../platform/contract/recommendation.ts";

/** The rules of Personalize and this service for a dataset's columns. */
interface DatasetRules {
  /** Columns that a file must have, with a value in every row. */
  required: readonly string[];
  /** Fields that come before all others, in this order. */
  leading: readonly string[];
  /** Types that do not depend on the sample. */
  types: Readonly<Record<string, ColumnType>>;
  /** Columns that a file may have, but that are not fields of the schema: they belong to an event in another way. */
  beside: readonly string[];
  /** Fields that can be neither categorical nor textual: ids, IS_ACTIVE and names that Personalize reserves. */
  unflagged: readonly string[];
  /** The most columns besides the required and reserved ones. Source: Personalize's quotas, where IS_ACTIVE counts. */
  maxCustom: number;
}

/** The rules by dataset. Source for those of Personalize: its developer guide, "Datasets and schemas". */
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
    leading: PLACED_FIELDS,
    types: {
      USER_ID: "string",
      ITEM_ID: "string",
      EVENT_TYPE: "string",
      EVENT_VALUE: "float",
      TIMESTAMP: "long",
      IMPRESSION: "string",
    } satisfies Record<(typeof PLACED_FIELDS)[number], ColumnType>,
    beside: ["EVENT_ID", "SESSION_ID", "RECOMMENDATION_ID"],
    unflagged: [...PLACED_FIELDS, "EVENT_ATTRIBUTION_SOURCE"],
    maxCustom: METADATA_FIELDS.interaction.max,
  },
};

/** The field into which all textual columns are joined. */
export const TEXTUAL_FIELD = "TEXTUAL_FIELD";

/** Separates the texts of several textual columns. */
export const TEXT_SEPARATOR = " ";
