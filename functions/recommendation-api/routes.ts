import type { Route } from "../../lib/core/http/route.ts";
import { RankItems, RecommendToItem, RecommendToUser } from "../../lib/recommendation/api/requests.ts";
import {
  LogEventDocument,
  RankItemsResponse,
  RecommendToItemResponse,
  RecommendToUserResponse,
  UpdateItemsDocument,
  UpdateUsersDocument,
  UploadResponse,
} from "./documents.ts";

const ITEM = { ITEM_ID: "B1", TITLE: "The Salt Road", AUTHOR: "Ada Lind", CATEGORIES: "Fantasy|Travel" };

const UPLOADED = { request: { count: 1 }, response: { accepted: 1, rejected: [] } };

/** The REST API of the recommendation service. */
export const routes = [
  {
    methods: ["POST"],
    path: "/recommend-items-to-user",
    family: "recommend",
    summary: "Items for a user",
    description:
      "Items that fit the user, best first. Unknown and retired items are left out and the list is filled up to the limit. Without a campaign that can answer it holds popular items, and says so.",
    request: RecommendToUser,
    response: RecommendToUserResponse,
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
    summary: "Items like an item",
    description: "Items that go with the given one, best first; never the item itself. 404 when there is no such item.",
    request: RecommendToItem,
    response: RecommendToItemResponse,
    example: { request: { item_id: "B1", limit: 10, filter_name: "", filter_value_dict: {} } },
  },
  {
    methods: ["POST"],
    path: "/rank-items-to-user",
    family: "rank",
    summary: "Given items in a user's order",
    description: "Every given item exactly once. Unknown and retired ones come last, with their fields empty.",
    request: RankItems,
    response: RankItemsResponse,
    example: { request: { user_id: "U1", item_ids: ["B3", "B1", "B2"] } },
  },
  {
    methods: ["POST"],
    path: "/update-items",
    family: "ingest",
    summary: "Upload items",
    description:
      "Each record replaces the item of its ITEM_ID as a whole: columns that it does not have are lost. The last one of a request wins. Records are accepted one by one: 200 when at least one was, else 400.",
    request: UpdateItemsDocument,
    response: UploadResponse,
    example: { request: { items: [ITEM] }, response: UPLOADED },
  },
  {
    methods: ["POST"],
    path: "/update-users",
    family: "ingest",
    summary: "Upload users",
    description:
      "Each record replaces the user of its USER_ID as a whole: columns that it does not have are lost. The last one of a request wins. Records are accepted one by one: 200 when at least one was, else 400.",
    request: UpdateUsersDocument,
    response: UploadResponse,
    example: {
      request: { users: [{ USER_ID: "U1", GENDER: "F", AGE: 34, LOCATION: 10115, MEMBERSHIP_ID: "M-1" }] },
      response: UPLOADED,
    },
  },
  {
    methods: ["POST"],
    path: "/log-event",
    family: "ingest",
    summary: "Log events",
    description:
      "What users did. An accepted event is stored and part of the next training; once a campaign is active it also counts at once. Records are accepted one by one: 200 when at least one was, else 400.",
    request: LogEventDocument,
    response: UploadResponse,
    example: {
      request: { events: [{ USER_ID: "U1", ITEM_ID: "B1", EVENT_TYPE: "read", TIMESTAMP: 1740000000 }] },
      response: UPLOADED,
    },
  },
] as const satisfies readonly Route[];
