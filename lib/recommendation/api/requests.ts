import * as v from "valibot";
import { MAX_ID, MAX_RESULTS } from "../../personalize/limits.ts";
import { FilterValues, RequestContext } from "../../personalize/runtime/request-members.ts";
import { PERSONALIZATIONS, UPLOAD_MODES } from "../../platform/contract/recommendation.ts";
import { objectSchema, recordSchema } from "../../platform/http/validate.ts";

/** The most records in one upload. */
export const MAX_RECORDS = 500;

const Id = v.pipe(
  v.string(),
  v.nonEmpty("must not be empty"),
  v.maxLength(MAX_ID, `must have at most ${MAX_ID} characters`),
  v.check((id) => id.isWellFormed(), "contains half of a surrogate pair, which is not Unicode text"),
);

const LIMIT = `must be a whole number from 1 to ${MAX_RESULTS}`;

const Limit = v.pipe(v.number(), v.integer(LIMIT), v.minValue(1, LIMIT), v.maxValue(MAX_RESULTS, LIMIT));

/** Personalization of a visitor's list. */
export const Personalization = v.pipe(
  v.picklist(PERSONALIZATIONS),
  v.description("`none`: the list uses nothing that is known about the visitor. Default: `profile`."),
);

/** The fields that both recommendation endpoints have. Null means that an optional field is absent. */
const commonFields = {
  limit: v.pipe(Limit, v.description("Maximum number of items in the answer.")),
  filter_name: v.pipe(v.string(), v.description("Name of a configured filter; empty for none.")),
  filter_value_dict: recordSchema(FilterValues),
  exclude_item_ids: v.nullish(
    v.pipe(
      v.array(Id),
      v.maxLength(MAX_RESULTS, `must have at most ${MAX_RESULTS} entries`),
      v.description("Items that the answer must not contain."),
    ),
  ),
  context: v.nullish(recordSchema(RequestContext)),
  personalization: v.nullish(Personalization),
};

/** POST /recommend-items-to-user */
export const RecommendToUser = v.strictObject({ user_id: Id, ...commonFields });
export type RecommendToUser = v.InferOutput<typeof RecommendToUser>;

/** POST /recommend-items-to-item */
export const RecommendToItem = v.strictObject({
  item_id: Id,
  user_id: v.nullish(
    v.pipe(Id, v.description("The user whose past events or columns the filter reads. Such a filter needs it.")),
  ),
  ...commonFields,
});
export type RecommendToItem = v.InferOutput<typeof RecommendToItem>;

const ItemIds = (description: string) =>
  v.nullish(
    v.pipe(
      v.array(Id),
      v.maxLength(MAX_RESULTS, `must have at most ${MAX_RESULTS} entries`),
      v.description(description),
    ),
  );

/** Context of the page: its item, category, basket and the like. */
export const PlacementContext = v.pipe(
  v.strictObject({
    item_id: v.nullish(v.pipe(Id, v.description("The item that the page is about. The list never contains it."))),
    basket_item_ids: ItemIds("The items in the visitor's basket."),
    exclude_item_ids: ItemIds("Items that the list must not contain, such as those already on the page."),
    session_item_ids: ItemIds(
      "What the visitor looked at in this session, latest first. The built-in engine recommends for them, too.",
    ),
    category: v.nullish(v.pipe(v.string(), v.maxLength(1_000), v.description("The category that the page is about."))),
    metadata: v.nullish(recordSchema(RequestContext)),
  }),
  v.description("What the page knows."),
);

/** POST /recommend-for-placement */
export const RecommendForPlacement = v.strictObject({
  placement: v.pipe(v.string(), v.maxLength(63), v.description("Name of a placement of recommendation.yaml.")),
  user_id: v.nullish(v.pipe(Id, v.description("The user, if the visitor is known."))),
  session_id: v.nullish(
    v.pipe(
      Id,
      v.description("The session of an unknown visitor, whose events have it as SESSION_ID. `user_id` goes first."),
    ),
  ),
  context: v.nullish(objectSchema(PlacementContext)),
  personalization: v.nullish(Personalization),
  explain: v.nullish(v.pipe(v.boolean(), v.description("Whether the answer says why each item is in the list."))),
});
export type RecommendForPlacement = v.InferOutput<typeof RecommendForPlacement>;

/** POST /rank-items-to-user */
export const RankItems = v.strictObject({
  user_id: Id,
  filter_name: v.nullish(
    v.pipe(v.string(), v.description("Name of a configured filter. The answer has only items that pass it.")),
  ),
  filter_value_dict: v.nullish(recordSchema(FilterValues)),
  context: v.nullish(recordSchema(RequestContext)),
  personalization: v.nullish(Personalization),
  item_ids: v.pipe(
    v.array(Id),
    v.minLength(1, "must have at least 1 entry"),
    v.maxLength(MAX_RESULTS, `must have at most ${MAX_RESULTS} entries`),
    v.metadata({ uniqueItems: true }),
    v.description("The items to rank, each once."),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const first = new Map<string, number>();
      for (const [key, id] of dataset.value.entries()) {
        const earlier = first.get(id);
        if (earlier === undefined) first.set(id, key);
        else {
          addIssue({
            message: `repeats item_ids.${earlier}; each item is ranked once`,
            path: [{ type: "array", origin: "value", input: dataset.value, key, value: id }],
          });
        }
      }
    }),
  ),
});
export type RankItems = v.InferOutput<typeof RankItems>;

/** The records of an upload. They are validated one by one later, so that an invalid one does not reject the others. */
const Records = v.pipe(
  v.array(v.unknown()),
  v.minLength(1, "must have at least 1 entry"),
  v.maxLength(MAX_RECORDS, `must have at most ${MAX_RECORDS} entries; split the upload`),
);

/** How an upload treats columns that a record lacks. */
export const UploadMode = v.pipe(
  v.picklist(UPLOAD_MODES),
  v.description(
    "`merge`: each record changes the columns that it has, and a column that is null or empty loses its value. `replace` (default): columns that a record lacks are removed.",
  ),
);
/** The mode of an upload. Null or absent: the default. */
export const Mode = v.nullish(UploadMode);
export type UploadMode = v.InferOutput<typeof Mode>;

/** POST /update-items */
export const UpdateItems = v.strictObject({ items: Records, mode: Mode });
/** POST /update-users */
export const UpdateUsers = v.strictObject({ users: Records, mode: Mode });
/** POST /delete-items */
export const DeleteItems = v.strictObject({
  item_ids: v.pipe(
    v.array(Id),
    v.minLength(1, "must have at least 1 entry"),
    v.maxLength(MAX_RECORDS, `must have at most ${MAX_RECORDS} entries; split the request`),
    v.description("The items to delete."),
  ),
});
/** POST /log-event */
export const LogEvent = v.strictObject({ events: Records });
