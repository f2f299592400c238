/** Datasets of a Personalize dataset group whose records are stored in tables. */
export const PROFILE_DATASETS = ["user", "item"] as const;
export type ProfileDataset = (typeof PROFILE_DATASETS)[number];

/** Datasets of a Personalize dataset group, in lower case as in file names and in the columns of solution.yaml. */
export const DATASETS = [...PROFILE_DATASETS, "interaction"] as const;
export type Dataset = (typeof DATASETS)[number];

/** The three kinds of recommendations, by their names in solution.yaml, campaign.yaml and `train --recipes`. */
export const RECIPE_KINDS = ["user_personalization", "similar_items", "personalized_ranking"] as const;
export type RecipeKind = (typeof RECIPE_KINDS)[number];

/** Types of source columns, from narrow to wide: each can hold the values of the types before it. */
export const COLUMN_TYPES = ["int", "long", "float", "string"] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** Datasets by their names in `excluded_dataset_columns` of solution.yaml. */
export const DATASET_NAMES = { Item: "item", User: "user", Interaction: "interaction" } as const satisfies Record<
  Capitalize<Dataset>,
  Dataset
>;
export const DATASET_NAME_LIST = Object.keys(DATASET_NAMES) as (keyof typeof DATASET_NAMES)[];

/** Fields of the interactions schema that have a dedicated place in PutEvents, in the order of the schema. */
export const PLACED_FIELDS = ["USER_ID", "ITEM_ID", "EVENT_TYPE", "EVENT_VALUE", "TIMESTAMP", "IMPRESSION"] as const;

/** Parts of an answer of the recommendation service that can be missing from it without failing the request. */
export const RECOMMENDATION_STAGES = [
  "campaign",
  "item_records",
  "realtime",
  "placement",
  "promotions",
  "diversity",
  "fallback",
] as const;

/** Recipes whose campaigns recommend items, to a user or to an item; a placement has one of them. The other one ranks. */
export const RECOMMENDING_RECIPES = ["user_personalization", "similar_items"] as const satisfies readonly RecipeKind[];
export type RecommendingRecipe = (typeof RECOMMENDING_RECIPES)[number];

/** Whether a list may use what is known about its user. */
export const PERSONALIZATIONS = ["profile", "none"] as const;

/** How an upload of users or items treats columns that a record lacks: removes them, or leaves them as they are. */
export const UPLOAD_MODES = ["replace", "merge"] as const;

/** Engines that recommend: a campaign of Personalize, or the built-in engine of the last training. */
export const RECOMMENDING_ENGINES = ["personalize", "built_in"] as const;

/** Engines of a placement's item: one of these, or a list of the fallback chain. */
export const ENGINES = [...RECOMMENDING_ENGINES, "list"] as const;
export type Engine = (typeof ENGINES)[number];
