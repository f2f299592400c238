import * as v from "valibot";
import { MAX_RECORDS, RankItems, RecommendToItem, RecommendToUser } from "../../lib/recommendation/api/requests.ts";

/** What an answer was made without; absent when nothing is degraded. */
const Degraded = v.optional(
  v.array(
    v.object({
      stage: v.picklist(["campaign", "item_records", "realtime"]),
      target: v.string(),
      reason: v.string(),
      effect: v.string(),
    }),
  ),
);

const Items = v.object({
  items: v.pipe(
    v.array(
      v.pipe(
        v.looseObject({ ITEM_ID: v.string() }),
        v.description("Every column of the items as text, empty where an item has none."),
      ),
    ),
    v.description("Best first."),
  ),
  recommendation_id: v.pipe(
    v.nullable(v.string()),
    v.description("RECOMMENDATION_ID of events that follow from this answer; null when no campaign gave it."),
  ),
});

/** The request echoed, and the items. */
export const RecommendToUserResponse = v.object({ request: RecommendToUser, response: Items, degraded: Degraded });
/** The request echoed, and the items. */
export const RecommendToItemResponse = v.object({ request: RecommendToItem, response: Items, degraded: Degraded });
/** The request echoed, and every given item. */
export const RankItemsResponse = v.object({ request: RankItems, response: Items, degraded: Degraded });

const records = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.pipe(v.array(schema), v.minLength(1), v.maxLength(MAX_RECORDS));

const Active = v.optional(
  v.pipe(v.picklist(["True", "False"]), v.description("False retires the record; absent is True.")),
);

const Id = v.pipe(v.string(), v.minLength(1), v.maxLength(256));

/** Records of the items' own columns. */
export const UpdateItemsDocument = v.object({ items: records(v.looseObject({ ITEM_ID: Id, IS_ACTIVE: Active })) });
/** Records of the users' own columns. */
export const UpdateUsersDocument = v.object({ users: records(v.looseObject({ USER_ID: Id, IS_ACTIVE: Active })) });

/** Events; columns of one's own beside these. */
export const LogEventDocument = v.object({
  events: records(
    v.looseObject({
      USER_ID: Id,
      ITEM_ID: Id,
      EVENT_TYPE: Id,
      EVENT_VALUE: v.optional(v.number()),
      TIMESTAMP: v.optional(
        v.pipe(v.number(), v.integer(), v.description("Whole seconds since 1970; absent is the time of arrival.")),
      ),
      IMPRESSION: v.optional(
        v.pipe(
          v.union([v.pipe(v.array(Id), v.maxLength(25)), v.string()]),
          v.description("Items that were shown, as a list or joined by a vertical bar."),
        ),
      ),
      SESSION_ID: v.optional(v.pipe(Id, v.description("Absent is USER_ID."))),
      EVENT_ID: v.optional(
        v.pipe(Id, v.description("Of events with the same id one counts. Absent, one is made up before storing.")),
      ),
      RECOMMENDATION_ID: v.optional(v.pipe(v.string(), v.maxLength(40))),
    }),
  ),
});

/** How many records were accepted, and why others were not. */
export const UploadResponse = v.object({
  request: v.object({ count: v.number() }),
  response: v.object({
    accepted: v.number(),
    rejected: v.array(
      v.object({
        index: v.pipe(v.number(), v.description("Place in the request, from 0.")),
        id: v.nullable(v.string()),
        retryable: v.pipe(v.boolean(), v.description("Whether the same record may be accepted later.")),
        issues: v.array(v.object({ path: v.string(), message: v.string() })),
      }),
    ),
  }),
  degraded: Degraded,
});
