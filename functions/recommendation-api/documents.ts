import * as v from "valibot";
import { MAX_ID, MAX_IMPRESSION, MAX_RECOMMENDATION_ID } from "../../lib/personalize/limits.ts";
import { FilterValues, RequestContext } from "../../lib/personalize/runtime/request-members.ts";
import { ENGINES, RECOMMENDATION_STAGES } from "../../lib/platform/contract/recommendation.ts";
import {
  degradation,
  degradedList,
  ErrorDetail,
  errorSchemas,
  Integer,
  Issue,
} from "../../lib/platform/http/documents.ts";
import {
  DeleteItems,
  MAX_RECORDS,
  Mode,
  Personalization,
  PlacementContext,
  RankItems,
  RecommendForPlacement,
  RecommendToItem,
  RecommendToUser,
  UploadMode,
} from "../../lib/recommendation/api/requests.ts";
import { MAX_SECONDS } from "../../lib/recommendation/records/value.ts";

const Degradation = degradation(RECOMMENDATION_STAGES);

const Item = v.pipe(
  v.objectWithRest({ ITEM_ID: v.string() }, v.string()),
  v.description("Every column of the item as text, empty where the item has no value."),
);

const RecommendedItems = v.object({
  items: v.pipe(v.array(Item), v.description("Best first.")),
  recommendation_id: v.pipe(
    v.nullable(v.string()),
    v.description("RECOMMENDATION_ID for events that follow from this answer; null when no campaign made it."),
  ),
});

const answerTo = <Schema extends v.GenericSchema>(request: Schema) =>
  v.object({ request, response: RecommendedItems, degraded: degradedList(Degradation) });

/** The echoed request with the items. */
export const RecommendToUserAnswer = answerTo(RecommendToUser);
/** The echoed request with the items. */
export const RecommendToItemAnswer = answerTo(RecommendToItem);
/** The echoed request with every given item. */
export const RankItemsAnswer = answerTo(RankItems);

const ListOfChain = v.object({
  step: v.pipe(Integer, v.description("Place in the chain, from 1.")),
  list: v.string(),
});

const Explanation = v.pipe(
  v.object({
    item_id: v.string(),
    engine: v.pipe(
      v.picklist(ENGINES),
      v.description(
        "`personalize`: a campaign. `built_in`: the built-in engine. `list`: a list of the fallback chain.",
      ),
    ),
    version: v.pipe(
      v.nullable(v.string()),
      v.description(
        "What the engine answered with: the solution version of the campaign, or the training of the built-in engine. Null for a list, and if it cannot be read.",
      ),
    ),
    recipe: v.nullable(v.string()),
    because_of: v.pipe(
      v.array(v.string()),
      v.description(
        "Of the built-in engine: at most three items that it follows from, the strongest first. They are of the page, of the session, or the user's last ones; these only for keys with `user_history`.",
      ),
    ),
    fallback: v.nullable(ListOfChain),
    promotion: v.nullable(v.pipe(v.string(), v.description("The promotion whose share of the list the item fills."))),
    moved_by_diversity: v.pipe(v.boolean(), v.description("Whether it was preferred to items of a better rank.")),
  }),
  v.description("Why an item is in the list."),
);

const PlacementItems = v.object({
  ...RecommendedItems.entries,
  placement: v.object({
    version: v.pipe(
      Integer,
      v.description("Version of the placements, as `relevance placements versions` lists them."),
    ),
    experiment: v.optional(v.string()),
    variant: v.optional(v.string()),
  }),
  explanations: v.optional(v.pipe(v.array(Explanation), v.description("With `explain`: one for each item, in order."))),
});

/** The echoed request with the items, the version of the placements, and the visitor's variant. */
export const RecommendForPlacementAnswer = v.object({
  request: RecommendForPlacement,
  response: PlacementItems,
  degraded: degradedList(Degradation),
});

const records = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.pipe(v.array(schema), v.minLength(1), v.maxLength(MAX_RECORDS));

/** A character of an id: any but a control character. */
const ID_CHARACTER = "[^\\u0000-\\u001f\\u007f-\\u009f]";
/** A character of an item's id, which excludes the bar: it separates the items of an impression. */
const ITEM_CHARACTER = "[^|\\u0000-\\u001f\\u007f-\\u009f]";

const text = (pattern: string, maxLength: number) =>
  v.pipe(v.string(), v.metadata({ pattern }), v.maxLength(maxLength));

/** An id as text, or as a whole number, which is converted to its digits. */
const id = (character: string) => v.union([text(`^${character}+$`, MAX_ID), v.pipe(v.number(), v.safeInteger())]);

/** An id that may be absent. Null and the empty text count as absent. */
const optionalId = (description: string, maxLength = MAX_ID) =>
  v.pipe(
    v.nullish(v.union([text(`^${ID_CHARACTER}*$`, maxLength), v.pipe(v.number(), v.safeInteger())])),
    v.description(description),
  );

const UserId = id(ID_CHARACTER);
const ItemId = id(ITEM_CHARACTER);
const EventType = id(ID_CHARACTER);

const Active = v.pipe(
  v.nullish(v.union([v.boolean(), text("^(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])?$", 5)])),
  v.description("False retires the record; if absent or empty, True."),
);

const ItemRecord = v.pipe(
  v.looseObject({ ITEM_ID: ItemId, IS_ACTIVE: Active }),
  v.description("An item with the columns of its schema."),
);

const UserRecord = v.pipe(
  v.looseObject({ USER_ID: UserId, IS_ACTIVE: Active }),
  v.description("A user with the columns of its schema."),
);

const DECIMAL = "^(?:\\s*[-+]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][-+]?\\d+)?\\s*)?$";

const MAX_FLOAT = 3.4028234663852886e38;

const EventValue = v.pipe(
  v.nullish(
    v.union([
      v.pipe(v.number(), v.minValue(-MAX_FLOAT), v.maxValue(MAX_FLOAT)),
      v.pipe(v.string(), v.metadata({ pattern: DECIMAL })),
    ]),
  ),
  v.description("A number, or its decimal digits as text; empty is no value."),
);

const Timestamp = v.pipe(
  v.nullish(
    v.union([
      v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_SECONDS - 1)),
      v.pipe(v.string(), v.metadata({ pattern: "^(?:0{0,5}[0-3]?\\d{1,9})?$" })),
    ]),
  ),
  v.description("Whole seconds since 1970, at most a day from now; if absent or empty, the time of arrival."),
);

const Impression = v.pipe(
  v.nullish(
    v.union([
      v.pipe(v.array(ItemId), v.maxLength(MAX_IMPRESSION.items)),
      v.pipe(
        v.string(),
        v.maxLength(MAX_IMPRESSION.characters),
        v.metadata({
          pattern: `^(?:${ITEM_CHARACTER}{1,${MAX_ID}}(?:\\|${ITEM_CHARACTER}{1,${MAX_ID}}){0,${MAX_IMPRESSION.items - 1}})?$`,
        }),
      ),
    ]),
  ),
  v.description(
    `The items that were shown, as a list or joined by a vertical bar; joined they have at most ${MAX_IMPRESSION.characters} characters.`,
  ),
);

const EventRecord = v.pipe(
  v.looseObject({
    USER_ID: optionalId("May be absent or empty if there is a SESSION_ID: the visitor is not known yet."),
    ITEM_ID: v.pipe(ItemId, v.description("The item that the event is about.")),
    EVENT_TYPE: EventType,
    EVENT_VALUE: EventValue,
    TIMESTAMP: Timestamp,
    IMPRESSION: Impression,
    SESSION_ID: optionalId(
      "The visit. If absent or empty, USER_ID. Once an event has the same one and a USER_ID, Personalize assigns the earlier events of the session to that user.",
    ),
    EVENT_ID: optionalId(
      "Of several events with the same id, only one counts. If absent or empty, the service generates an id.",
    ),
    RECOMMENDATION_ID: optionalId(
      "`recommendation_id` of the answer that the event follows from.",
      MAX_RECOMMENDATION_ID,
    ),
  }),
  v.description("An event with the columns of its schema."),
);

/** The body of an upload of items, with the configured columns. */
export const UpdateItemsDocument = v.strictObject({ items: records(ItemRecord), mode: Mode });
/** The body of an upload of users, with the configured columns. */
export const UpdateUsersDocument = v.strictObject({ users: records(UserRecord), mode: Mode });
/** The body of an upload of events, with configured columns beside the standard ones. */
export const LogEventDocument = v.strictObject({ events: records(EventRecord) });

const UploadRequest = v.object({ count: v.pipe(Integer, v.description("Records in the request.")) });

const RejectedRecord = v.object({
  index: v.pipe(Integer, v.description("Place in the request, from 0.")),
  id: v.nullable(v.string()),
  retryable: v.pipe(v.boolean(), v.description("Whether the same record may be accepted later.")),
  issues: v.array(Issue),
});

const UploadResult = v.object({ accepted: Integer, rejected: v.array(RejectedRecord) });

const upload = { request: UploadRequest, response: UploadResult, degraded: degradedList(Degradation) };

/** The number of accepted records, and the reasons why others were rejected. */
export const UploadAnswer = v.object(upload);

/** The answer to an upload without any accepted record. Lacks `request` and `response` if the body is invalid. */
export const RejectedUpload = v.object({
  error: ErrorDetail,
  request: v.optional(UploadRequest),
  response: v.optional(UploadResult),
  degraded: degradedList(Degradation),
});

/** The names of this API's schemas in the OpenAPI document. */
export const schemaNames = {
  RecommendToUserRequest: RecommendToUser,
  RecommendToItemRequest: RecommendToItem,
  RecommendForPlacementRequest: RecommendForPlacement,
  PlacementContext,
  Personalization,
  RankItemsRequest: RankItems,
  FilterValues,
  RequestContext,
  UpdateItemsRequest: UpdateItemsDocument,
  UpdateUsersRequest: UpdateUsersDocument,
  DeleteItemsRequest: DeleteItems,
  LogEventRequest: LogEventDocument,
  UploadMode,
  ItemRecord,
  UserRecord,
  EventRecord,
  RecommendToUserAnswer,
  RecommendToItemAnswer,
  RecommendForPlacementAnswer,
  RankItemsAnswer,
  RecommendedItems,
  PlacementItems,
  Explanation,
  ListOfChain,
  Item,
  UploadAnswer,
  UploadRequest,
  UploadResult,
  RejectedRecord,
  RejectedUpload,
  Degradation,
  ...errorSchemas,
};
