import type { components as Gateway } from "./generated/gateway.ts";
import type { components as Recommendation } from "./generated/recommendation.ts";

type GatewaySchemas = Gateway["schemas"];
type RecommendationSchemas = Recommendation["schemas"];

/** The declared properties of a type, without its index signature. */
type Declared<T> = {
  [Key in keyof T as string extends Key ? never : number extends Key ? never : Key]: T[Key];
};

/** A document of an index. Give your own type to have its fields checked. */
export type AnyDocument = GatewaySchemas["Document"];

/** A hit whose document is a `Doc`. */
export type Hit<Doc> = Omit<Declared<GatewaySchemas["Hit"]>, "_source"> & {
  _source: Doc;
  /** By field, the fragments that the request's `highlight` asks for. */
  highlight?: Readonly<Record<string, readonly string[]>>;
  /** The values that the hit was sorted by, if the request has `sort`. */
  sort?: readonly unknown[];
  /** The values of `fields`, `docvalue_fields` and `stored_fields`. */
  fields?: Readonly<Record<string, readonly unknown[]>>;
};

type WithHits<Answer extends { search_response: unknown }, Doc> = Omit<Declared<Answer>, "search_response"> & {
  search_response: Declared<Omit<Declared<Answer["search_response"]>, "hits">> & {
    hits: { total?: GatewaySchemas["TotalHits"]; max_score: number | null; hits: Hit<Doc>[] };
    aggregations?: Readonly<Record<string, unknown>>;
    suggest?: Readonly<Record<string, unknown>>;
  };
};

export type BulkRequest = GatewaySchemas["BulkRequest"];
export type BulkOperation = GatewaySchemas["BulkOperation"];
export type BulkAnswer = GatewaySchemas["BulkAnswer"];
export type BulkItem = GatewaySchemas["BulkItem"];
export type BulkItemResult = GatewaySchemas["BulkItemResult"];
export type SearchRequest = GatewaySchemas["Search"];
export type SearchAnswer<Doc = AnyDocument> = WithHits<GatewaySchemas["SearchAnswer"], Doc>;
export type HybridSearchRequest = GatewaySchemas["HybridSearch"];
export type HybridSearchAnswer<Doc = AnyDocument> = WithHits<GatewaySchemas["HybridSearchAnswer"], Doc>;
export type MultiSearchRequest = GatewaySchemas["MultiSearch"];
export type MultiSearchAnswer = GatewaySchemas["MultiSearchAnswer"];
export type CandidatesRequest = GatewaySchemas["CandidatesRequest"];
export type CandidatesAnswer = GatewaySchemas["CandidatesAnswer"];
export type SuggestRequest = GatewaySchemas["SuggestRequest"];
export type SuggestAnswer = GatewaySchemas["SuggestAnswer"];
export type EventsRequest = GatewaySchemas["EventsRequest"];
export type EventsAnswer = GatewaySchemas["EventsAnswer"];

export type RecommendToUserRequest = RecommendationSchemas["RecommendToUserRequest"];
export type RecommendToUserAnswer = RecommendationSchemas["RecommendToUserAnswer"];
export type RecommendToItemRequest = RecommendationSchemas["RecommendToItemRequest"];
export type RecommendToItemAnswer = RecommendationSchemas["RecommendToItemAnswer"];
export type RecommendForPlacementRequest = RecommendationSchemas["RecommendForPlacementRequest"];
export type RecommendForPlacementAnswer = RecommendationSchemas["RecommendForPlacementAnswer"];
export type RankItemsRequest = RecommendationSchemas["RankItemsRequest"];
export type RankItemsAnswer = RecommendationSchemas["RankItemsAnswer"];
export type DeleteItemsRequest = RecommendationSchemas["DeleteItemsRequest"];
export type UpdateItemsRequest = RecommendationSchemas["UpdateItemsRequest"];
export type UpdateUsersRequest = RecommendationSchemas["UpdateUsersRequest"];
export type LogEventRequest = RecommendationSchemas["LogEventRequest"];
export type UploadAnswer = RecommendationSchemas["UploadAnswer"];

/** Part of an answer that is missing, and why. */
export type Degradation = GatewaySchemas["Degradation"] | RecommendationSchemas["Degradation"];
export type ErrorCode = GatewaySchemas["ErrorCode"] | RecommendationSchemas["ErrorCode"];
export type Issue = GatewaySchemas["Issue"];
