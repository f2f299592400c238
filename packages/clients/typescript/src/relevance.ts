import { type BulkOptions, type Written, writeAll } from "./bulk.ts";
import { allHits } from "./hits.ts";
import { type CallOptions, type Options, Transport } from "./transport.ts";
import type {
  AnyDocument,
  BulkAnswer,
  BulkOperation,
  BulkRequest,
  CandidatesAnswer,
  CandidatesRequest,
  DeleteItemsRequest,
  EventsAnswer,
  EventsRequest,
  Hit,
  HybridSearchAnswer,
  HybridSearchRequest,
  LogEventRequest,
  MultiSearchAnswer,
  MultiSearchRequest,
  RankItemsAnswer,
  RankItemsRequest,
  RecommendForPlacementAnswer,
  RecommendForPlacementRequest,
  RecommendToItemAnswer,
  RecommendToItemRequest,
  RecommendToUserAnswer,
  RecommendToUserRequest,
  SearchAnswer,
  SearchRequest,
  SuggestAnswer,
  SuggestRequest,
  UpdateItemsRequest,
  UpdateUsersRequest,
  UploadAnswer,
} from "./types.ts";

export interface RawOptions extends CallOptions {
  /** A value that becomes JSON, or a text that is sent as it is. */
  body?: unknown;
  /** Default: `application/json`. `_bulk` and `_msearch` take `application/x-ndjson`. */
  contentType?: string;
}

/**
 * Calls the search gateway or the recommendation service. Each method is one endpoint.
 *
 * @example
 * const relevance = new Relevance({ url: "http://127.0.0.1:8000", key: "…" });
 * const { search_response } = await relevance.search<Book>({
 *   index: "books",
 *   search_request: { query: { match: { title: "salt" } } },
 * });
 */
export class Relevance {
  readonly #transport: Transport;

  constructor(options: Options) {
    this.#transport = new Transport(options);
  }

  /** Creates, replaces, updates and deletes documents of an index, up to 5,000 in 4 MiB. */
  bulk(request: BulkRequest, options?: CallOptions): Promise<BulkAnswer> {
    return this.#post("/application/bulk", request, { ...options, safe: false });
  }

  /** Writes any number of documents, split into requests, and yields what became of each in the given order. */
  bulkAll(
    index: string,
    operations: Iterable<BulkOperation> | AsyncIterable<BulkOperation>,
    options?: BulkOptions & CallOptions,
  ): AsyncGenerator<Written> {
    return writeAll((request) => this.bulk(request, options), index, operations, options);
  }

  /** Runs a search body or a named template. */
  search<Doc = AnyDocument>(request: SearchRequest, options?: CallOptions): Promise<SearchAnswer<Doc>> {
    return this.#post("/application/search", request, { ...options, safe: true });
  }

  /** Runs a hybrid search body or a named template. */
  hybridSearch<Doc = AnyDocument>(
    request: HybridSearchRequest,
    options?: CallOptions,
  ): Promise<HybridSearchAnswer<Doc>> {
    return this.#post("/application/hybrid-search", request, { ...options, safe: true });
  }

  /** Yields the hits of all pages of a search. `size` is the size of a page. */
  searchHits<Doc = AnyDocument>(request: SearchRequest, options?: CallOptions): AsyncGenerator<Hit<Doc>> {
    return allHits<Doc>(request, (page: SearchRequest) => this.search<Doc>(page, options));
  }

  /** Yields the hits of all pages of a hybrid search. `size` is the size of a page. */
  hybridSearchHits<Doc = AnyDocument>(request: HybridSearchRequest, options?: CallOptions): AsyncGenerator<Hit<Doc>> {
    return allHits<Doc>(request, (page: HybridSearchRequest) => this.hybridSearch<Doc>(page, options));
  }

  /** Runs several searches by named templates side by side: each result is an answer, or the error of that search. */
  multiSearch(request: MultiSearchRequest, options?: CallOptions): Promise<MultiSearchAnswer> {
    return this.#post("/application/multi-search", request, { ...options, safe: true });
  }

  /** Returns the candidates of each subquery of a hybrid search, before they are combined. */
  candidates(request: CandidatesRequest, options?: CallOptions): Promise<CandidatesAnswer> {
    return this.#post("/application/hybrid-search/candidates", request, { ...options, safe: true });
  }

  /** Suggests how a text may go on that a user is typing. */
  suggest(request: SuggestRequest, options?: CallOptions): Promise<SuggestAnswer> {
    return this.#post("/application/suggest", request, { ...options, safe: true });
  }

  /** Reports what users did with hits. */
  events(request: EventsRequest, options?: CallOptions): Promise<EventsAnswer> {
    return this.#post("/application/events", request, { ...options, safe: false });
  }

  /** Recommends items to a user. */
  recommendItemsToUser(request: RecommendToUserRequest, options?: CallOptions): Promise<RecommendToUserAnswer> {
    return this.#post("/recommend-items-to-user", request, { ...options, safe: true });
  }

  /** Recommends items that are similar to an item. */
  recommendItemsToItem(request: RecommendToItemRequest, options?: CallOptions): Promise<RecommendToItemAnswer> {
    return this.#post("/recommend-items-to-item", request, { ...options, safe: true });
  }

  /** Recommends items for a place of a page, as `recommendation.yaml` describes it. */
  recommendForPlacement(
    request: RecommendForPlacementRequest,
    options?: CallOptions,
  ): Promise<RecommendForPlacementAnswer> {
    return this.#post("/recommend-for-placement", request, { ...options, safe: true });
  }

  /** Orders items for a user. */
  rankItemsToUser(request: RankItemsRequest, options?: CallOptions): Promise<RankItemsAnswer> {
    return this.#post("/rank-items-to-user", request, { ...options, safe: true });
  }

  /** Creates or replaces items, 1 to 500. A repeated upload stores the same records. */
  updateItems(request: UpdateItemsRequest, options?: CallOptions): Promise<UploadAnswer> {
    return this.#post("/update-items", request, { ...options, safe: false });
  }

  /** Creates or replaces users, 1 to 500. */
  updateUsers(request: UpdateUsersRequest, options?: CallOptions): Promise<UploadAnswer> {
    return this.#post("/update-users", request, { ...options, safe: false });
  }

  /** Deletes items, 1 to 500. Ids without an item are accepted. */
  deleteItems(request: DeleteItemsRequest, options?: CallOptions): Promise<UploadAnswer> {
    return this.#post("/delete-items", request, { ...options, safe: false });
  }

  /** Stores events, 1 to 500. Give each an `EVENT_ID` if you may send it twice. */
  logEvent(request: LogEventRequest, options?: CallOptions): Promise<UploadAnswer> {
    return this.#post("/log-event", request, { ...options, safe: false });
  }

  /**
   * Calls the cluster itself. Returns the answer parsed if it is JSON, else its text; undefined if it is empty.
   *
   * @param path The path below `/raw-backend`, such as `/books/_count`.
   */
  async raw(method: string, path: string, { body, contentType, ...options }: RawOptions = {}): Promise<unknown> {
    const { text, headers } = await this.#transport.call({
      method,
      path: `/raw-backend${path}`,
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(contentType === undefined ? {} : { contentType }),
      safe: method === "GET" || method === "HEAD",
      ...options,
    });
    if (text === "") return undefined;
    return headers.get("content-type")?.includes("json") ? JSON.parse(text) : text;
  }

  async #post<Answer>(path: string, request: unknown, options: CallOptions & { safe: boolean }): Promise<Answer> {
    const { signal, headers, safe } = options;
    const { text } = await this.#transport.call({
      method: "POST",
      path,
      body: JSON.stringify(request),
      safe,
      ...(signal && { signal }),
      ...(headers && { headers }),
    });
    return JSON.parse(text);
  }
}
