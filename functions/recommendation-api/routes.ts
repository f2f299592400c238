import type { Route } from "../../lib/platform/http/route.ts";
import {
  DeleteItems,
  RankItems,
  RecommendForPlacement,
  RecommendToItem,
  RecommendToUser,
} from "../../lib/recommendation/api/requests.ts";
import {
  LogEventDocument,
  RankItemsAnswer,
  RecommendForPlacementAnswer,
  RecommendToItemAnswer,
  RecommendToUserAnswer,
  RejectedUpload,
  UpdateItemsDocument,
  UpdateUsersDocument,
  UploadAnswer,
} from "./documents.ts";
import { served } from "./served.ts";

const ITEM = { ITEM_ID: "B1", TITLE: "The Salt Road", AUTHOR: "Ada Lind", CATEGORIES: "Fantasy|Travel" };

const UPLOADED = { request: { count: 1 }, response: { accepted: 1, rejected: [] } };

export { schemaNames } from "./documents.ts";

/** The REST API of the recommendation service. */
export const routes = [
  {
    methods: ["POST"],
    path: "/recommend-items-to-user",
    family: "recommend",
    access: ["recommend"],
    summary: "Items for a user",
    description:
      "Returns items that fit the user, best first. Skips unknown and retired items and fills the list up to the limit. Returns popular items, with `degraded`, when no campaign can answer.",
    request: RecommendToUser,
    response: RecommendToUserAnswer,
    example: {
      request: {
        user_id: "U1",
        limit: 10,
        filter_name: "category",
        filter_value_dict: { CATEGORY: "Fantasy,History" },
      },
      response: {
        request: {
          user_id: "U1",
          limit: 10,
          filter_name: "category",
          filter_value_dict: { CATEGORY: "Fantasy,History" },
        },
        response: { items: [ITEM], recommendation_id: "RID-1c2d3e" },
      },
    },
  },
  {
    methods: ["POST"],
    path: "/recommend-items-to-item",
    family: "recommend",
    access: ["recommend"],
    summary: "Items similar to an item",
    description:
      "Returns items that are similar to the given one, best first, never the item itself. 404 when the item does not exist. A filter on past events or CurrentUser needs `user_id`.",
    request: RecommendToItem,
    response: RecommendToItemAnswer,
    example: { request: { item_id: "B1", limit: 10, filter_name: "", filter_value_dict: {} } },
  },
  {
    ...served.placement,
    summary: "Items for a place of the site",
    description:
      "Returns the list of a placement of recommendation.yaml: the items of its campaign, with its filter, promotions, exclusions and diversity, filled up from its fallback chain. 404 when there is no such placement.",
    request: RecommendForPlacement,
    response: RecommendForPlacementAnswer,
    example: {
      request: { placement: "home", user_id: "U1", context: { basket_item_ids: ["B2"] } },
      response: {
        request: { placement: "home", user_id: "U1", context: { basket_item_ids: ["B2"] } },
        response: { items: [ITEM], recommendation_id: "RID-1c2d3e", placement: { version: 3 } },
      },
    },
  },
  {
    methods: ["POST"],
    path: "/rank-items-to-user",
    family: "rank",
    access: ["recommend"],
    summary: "Rank items for a user",
    description: "Returns every given item exactly once. Unknown and retired items come last, with empty fields.",
    request: RankItems,
    response: RankItemsAnswer,
    example: { request: { user_id: "U1", item_ids: ["B3", "B1", "B2"] } },
  },
  {
    methods: ["POST"],
    path: "/update-items",
    family: "ingest",
    access: ["ingest"],
    summary: "Upload items",
    description:
      "Each record replaces the whole item with its ITEM_ID: columns that it lacks are removed. With `merge`, it changes the columns that it has, and the item that results must be valid. Of several records with one id, the last wins. Records are accepted one by one: 200 if at least one is accepted; otherwise 400 if all are invalid, 503 if a store refused them, 500 if they may have been stored.",
    request: UpdateItemsDocument,
    response: UploadAnswer,
    refusal: RejectedUpload,
    example: { request: { items: [ITEM] }, response: UPLOADED },
  },
  {
    methods: ["POST"],
    path: "/update-users",
    family: "ingest",
    access: ["ingest"],
    summary: "Upload users",
    description:
      "Each record replaces the whole user with its USER_ID: columns that it lacks are removed. With `merge`, it changes the columns that it has, and the user that results must be valid. Of several records with one id, the last wins. Records are accepted one by one: 200 if at least one is accepted; otherwise 400 if all are invalid, 503 if a store refused them, 500 if they may have been stored.",
    request: UpdateUsersDocument,
    response: UploadAnswer,
    refusal: RejectedUpload,
    example: {
      request: { users: [{ USER_ID: "U1", GENDER: "F", AGE: 34, LOCATION: 10115, MEMBERSHIP_ID: "M-1" }] },
      response: UPLOADED,
    },
  },
  {
    methods: ["POST"],
    path: "/delete-items",
    family: "ingest",
    access: ["delete-items"],
    summary: "Delete items",
    description:
      "Removes items: no answer has them, and the next training does not import them. An id without an item is accepted. Ids are accepted one by one: 200 if at least one is accepted; otherwise 503 if the store refused them, 500 if they may have been deleted.",
    request: DeleteItems,
    response: UploadAnswer,
    refusal: RejectedUpload,
    example: { request: { item_ids: ["B1"] }, response: UPLOADED },
  },
  {
    methods: ["POST"],
    path: "/log-event",
    family: "ingest",
    access: ["events", "ingest"],
    summary: "Log events",
    description:
      "Stores what users did. An accepted event takes part in the next training, and takes effect at once when a campaign is active. Records are accepted one by one: 200 if at least one is accepted; otherwise 400 if all are invalid, 503 if a store refused them, 500 if they may have been stored.",
    request: LogEventDocument,
    response: UploadAnswer,
    refusal: RejectedUpload,
    example: {
      request: { events: [{ USER_ID: "U1", ITEM_ID: "B1", EVENT_TYPE: "read", TIMESTAMP: 1740000000 }] },
      response: UPLOADED,
    },
  },
  {
    ...served.mcp,
    summary: "Tools for agents",
    description: "The Model Context Protocol: a tool for each placement that the key may ask for.",
  },
] as const satisfies readonly Route[];
