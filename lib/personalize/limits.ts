/**
 * Limits and requirements of Amazon Personalize. "API" is the model of the named operation or type in the API reference,
 * "guide" the named page of the developer guide.
 */

/** Longest user or item id, in characters. API: `UserId`, `ItemId`. */
export const MAX_ID = 256;

/** Names of resources, at most 63 characters long. API: `Name`. */
export const NAME_PATTERN = /^[A-Za-z0-9][\w-]{0,62}$/;

/** Most items of one answer, and of one ranking. API: GetRecommendations, GetPersonalizedRanking. */
export const MAX_RESULTS = 500;

/** Most filter values of a request, and characters of one. API: `FilterValues`, GetRecommendations. */
export const MAX_FILTER_VALUES = 25;
/** See MAX_FILTER_VALUES. */
export const MAX_FILTER_VALUE = 1_000;

/** Most entries of a request's context, and characters of a name and of a value. API: `Context`, GetRecommendations. */
export const MAX_CONTEXT = { entries: 150, name: 150, value: 1_000 } as const;

/** Limits of filters. API: CreateFilter (characters); guide: "Endpoints and quotas" (the quotas of a dataset group). */
export const FILTER_LIMITS = {
  expressionCharacters: 2_500,
  fieldsPerFilter: 5,
  filtersPerGroup: 10,
  fieldsPerGroup: 10,
} as const;

/** Most events of one PutEvents. API: PutEvents. */
export const MAX_PUT_EVENTS = 10;

/** Most characters of an event's properties. API: `Event`, PutEvents. */
export const MAX_EVENT_PROPERTIES = 1_024;

/** Most items of an event's impression, and characters of its recommendation id. API: `Event`, PutEvents. */
export const MAX_IMPRESSION = 25;
/** See MAX_IMPRESSION. */
export const MAX_RECOMMENDATION_ID = 40;

/** Most records of one PutUsers or PutItems. API: PutUsers, PutItems. */
export const MAX_PUT_RECORDS = 10;

/** Most characters of a record's properties. API: `User` of PutUsers, `Item` of PutItems. */
export const MAX_RECORD_PROPERTIES = { user: 24_000, item: 32_000 } as const;

/** Most characters of a categorical value, and of a text. Guide: "Items dataset". */
export const MAX_CATEGORY = 1_000;
/** See MAX_CATEGORY. */
export const MAX_TEXT = 20_000;

/** Fields that a schema must have, with their types. Guide: "Dataset and schema requirements". */
export const REQUIRED_FIELDS = {
  user: { USER_ID: "string" },
  item: { ITEM_ID: "string" },
  interaction: { USER_ID: "string", ITEM_ID: "string", TIMESTAMP: "long" },
} as const;

/** Fields of a schema beside the required and reserved ones. Guide: "Dataset and schema requirements" (max: "Quotas"). */
export const METADATA_FIELDS = {
  user: { min: 1, max: 25 },
  item: { min: 1, max: 100 },
  interaction: { min: 0, max: 5 },
} as const;

/** Interactions that a training needs, after its event type and threshold are applied. Guide: "Endpoints and quotas". */
export const MIN_INTERACTIONS = 1_000;
/** Users with at least two interactions that a training needs, counted likewise. */
export const MIN_USERS_WITH_TWO = 25;
