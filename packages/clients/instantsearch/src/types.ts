/** The index and the template that an index name of InstantSearch stands for. */
export interface Listing {
  index: string;
  /** Name of a plain template. It has the parameters `size` and `from`, and `query` if its searches have a text. */
  template: string;
  /** Name of a hybrid template with the same parameters but `query`. It replaces `template` in searches that have a text. */
  hybridTemplate?: string;
  /**
   * By attribute, whether its facet lists values or is a range of numbers. The template has a list of texts by the name of
   * each attribute with values, two numbers `<name>_min` and `<name>_max` for a range, and an aggregation of that name:
   * `terms` for values, `stats` for a range. What is no letter, digit or `_` in an attribute is `_` in those names.
   */
  facets?: Readonly<Record<string, "values" | "range">>;
  /** The most hits that all pages have together: at most what the template's `from` and `size` allow. Default: 1,000. */
  most?: number;
}

/** By the index names of InstantSearch. `sortBy` has one for each order. */
export type Listings = Readonly<Record<string, Listing>>;

/** A search, as the gateway's `multi-search` takes it. */
export interface NamedSearch {
  index: string;
  template: string;
  user_query?: string;
  search_query?: string;
  user_id?: string;
  segments?: string[];
  is_logging_enable?: boolean;
  params: Record<string, string | number | readonly string[]>;
}

/** One result of `multi-search`. */
export interface SearchResult {
  status: number;
  query_id?: string;
  answer?: unknown;
  error?: { code: string; message: string };
}

/** An event, as `/application/events` takes it. An alias, as an interface lacks the index signature of the client's type. */
export type GatewayEvent = {
  action_name: string;
  timestamp: string;
  query_id?: string;
  user_id?: string;
  message?: string;
  event_attributes: { object: { object_id: string }; position: { ordinal: number } };
};

interface CallOptions {
  headers?: Readonly<Record<string, string>>;
}

/** The methods of `Relevance`, the client of `@relevance/client`, that are used here. */
export interface Gateway {
  multiSearch(request: { searches: NamedSearch[] }, options?: CallOptions): Promise<{ results: SearchResult[] }>;
  events(request: { events: GatewayEvent[] }, options?: CallOptions): Promise<unknown>;
}

/** One search of InstantSearch. Its parameters are those of Algolia's search API. */
export interface InstantRequest {
  indexName?: string;
  type?: string;
  params?: Readonly<Record<string, unknown>>;
}

/** A text with its matches marked. */
export interface Highlighted {
  value: string;
  matchLevel: "none" | "full";
  matchedWords: readonly string[];
}

/** A hit as InstantSearch shows it: the document with its id and its highlighted texts. */
export interface InstantHit {
  objectID: string;
  [field: string]: unknown;
}

/** The parts of an answer that InstantSearch reads. */
export interface InstantResult {
  index: string;
  query: string;
  params: string;
  hits: InstantHit[];
  page: number;
  hitsPerPage: number;
  nbHits: number;
  nbPages: number;
  exhaustiveNbHits: boolean;
  exhaustiveFacetsCount: boolean;
  facets: Record<string, Record<string, number>>;
  facets_stats: Record<string, { min: number; max: number; avg: number; sum: number }>;
  processingTimeMS: number;
  queryID?: string;
  /** For a search without hits: the text that may have been meant, and whether the hits are those of that text. */
  didYouMean?: { text: string; left_out?: readonly string[]; is_searched: boolean };
}

/** InstantSearch parameters that this client does not support. */
export class UnsupportedError extends Error {
  override readonly name = "UnsupportedError";
}

/** A search that the gateway refused or could not answer. */
export class SearchError extends Error {
  override readonly name = "SearchError";
  readonly status: number;
  readonly code: string;

  constructor({ status, error }: SearchResult) {
    super(error?.message ?? `the gateway answered ${status}`);
    this.status = status;
    this.code = error?.code ?? "unexpected_answer";
  }
}

/** Returns the name of an attribute's parameters and aggregation. */
export const parameterOf = (attribute: string): string => attribute.replaceAll(/\W/g, "_");
