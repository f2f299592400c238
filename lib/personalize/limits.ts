/**
 * Limits and requirements of Amazon Personalize. As a source, "API" means the named operation or type in the API
 * reference, "guide" the named page of the developer guide, "quotas" its page "Endpoints and quotas".
 */

/** Longest user or item id, in characters. API: `UserId`, `ItemId`. */
export const MAX_ID = 256;

/** Pattern of resource names, which have at most 63 characters. API: `Name`. */
export const NAME_PATTERN = /^[A-Za-z0-9][\w-]{0,62}$/;

/** Most items in one answer, or to rank in one request. API: GetRecommendations, GetPersonalizedRanking. */
export const MAX_RESULTS = 500;

/** Most filter values in a request. API: `FilterValues`, GetRecommendations. */
export const MAX_FILTER_VALUES = 25;
/** Most characters in a filter value. API: `FilterValues`, GetRecommendations. */
export const MAX_FILTER_VALUE = 1_000;

/** Most entries in a request's context, and characters in a name and in a value. API: `Context`, GetRecommendations. */
export const MAX_CONTEXT = { entries: 150, name: 150, value: 1_000 } as const;

/** Limits of filters. API: CreateFilter (characters); quotas, of which AWS can raise that of filters in a group. */
export const FILTER_LIMITS = {
  expressionCharacters: 2_500,
  fieldsPerFilter: 10,
  filtersPerGroup: 30,
  fieldsPerGroup: 20,
} as const;

/** Most events in one call. API: PutEvents. */
export const MAX_PUT_EVENTS = 10;

/** Most characters in an event's properties. API: `Event`, PutEvents. */
export const MAX_EVENT_PROPERTIES = 1_024;

/** Most items in an event's impression (API: `Event`, PutEvents), and characters of them in a dataset (quotas). */
export const MAX_IMPRESSION = { items: 25, characters: 1_000 } as const;
/** Most characters in an event's recommendation id. API: `Event`, PutEvents. */
export const MAX_RECOMMENDATION_ID = 40;

/** Most records in one call. API: PutUsers, PutItems. */
export const MAX_PUT_RECORDS = 10;

/** Most characters in a record's properties. API: `User` of PutUsers, `Item` of PutItems. */
export const MAX_RECORD_PROPERTIES = { user: 24_000, item: 32_000 } as const;

/** Most characters in a categorical or other text. Quotas. */
export const MAX_CATEGORY = 1_000;
/** Most characters in a textual value; Chinese and Japanese texts are cut after 7,000. Quotas. */
export const MAX_TEXT = 20_000;

/** Required fields of a schema, with their types. Guide: "Dataset and schema requirements". */
export const REQUIRED_FIELDS = {
  user: { USER_ID: "string" },
  item: { ITEM_ID: "string" },
  interaction: { USER_ID: "string", ITEM_ID: "string", TIMESTAMP: "long" },
} as const;

/** Fields with reserved names, with their allowed types besides null. Guide: "Dataset and schema requirements". */
export const RESERVED_FIELDS = {
  user: {},
  item: { CREATION_TIMESTAMP: ["long"] },
  interaction: {
    EVENT_TYPE: ["string"],
    EVENT_VALUE: ["float", "double"],
    IMPRESSION: ["string"],
    RECOMMENDATION_ID: ["string"],
    EVENT_ATTRIBUTION_SOURCE: ["string"],
  },
} as const;

/** Number of other fields, neither required nor reserved. Guide: "Dataset and schema requirements"; max: quotas. */
export const METADATA_FIELDS = {
  user: { min: 1, max: 25 },
  item: { min: 1, max: 100 },
  interaction: { min: 0, max: 5 },
} as const;

/** Returns the names that are neither required nor reserved in a dataset's schema. */
export function metadataFields(dataset: keyof typeof METADATA_FIELDS, names: Iterable<string>): string[] {
  const known = { ...REQUIRED_FIELDS[dataset], ...RESERVED_FIELDS[dataset] };
  return [...names].filter((name) => !Object.hasOwn(known, name));
}

/** Most textual fields of an item schema. Quotas. */
export const MAX_TEXTUAL_FIELDS = 1;

/** Most event types of a dataset group, together with the fields of `fieldsBesideTypes`. Quotas. */
export const MAX_EVENT_TYPES_AND_FIELDS = 10;

/**
 * Returns the fields of an interaction schema that count towards the quota of event types: "EVENT_TYPE, EVENT_VALUE
 * fields along with any custom metadata fields". Guide: "Item interactions dataset schema requirements".
 */
export function fieldsBesideTypes(names: Iterable<string>): string[] {
  const all = [...names];
  return [...all.filter((name) => /^EVENT_(TYPE|VALUE)$/.test(name)), ...metadataFields("interaction", all)];
}

/** Returns how many event types Personalize takes beside the fields of an interaction schema. */
export function eventTypeRoom(names: Iterable<string>): number {
  return MAX_EVENT_TYPES_AND_FIELDS - fieldsBesideTypes(names).length;
}

/** Fewest interactions for a training, after its event type and threshold apply. Quotas. */
export const MIN_INTERACTIONS = 1_000;
/** Bytes of a full import of one dataset, unless AWS raised the quota. Quotas. */
export const USUAL_IMPORT_BYTES = 100e9;

/** The largest data that a training considers. Quotas; AWS can raise the interactions of recipes that are not v2. */
export const trainingLimits = (recipe: string) =>
  recipe.endsWith("-v2")
    ? { interactions: 3_000_000_000, items: 5_000_000, adjustable: false }
    : { interactions: 500_000_000, items: 750_000, adjustable: true };

/**
 * Personalize quotas: minimum number of users with two or more interactions used for training, and their minimum share
 * of users with at least one.
 */
export const MIN_USERS_WITH_TWO = { count: 25, share: 0.01 } as const;
