import { type InsightsClient, insightsClient, type Visitor } from "./insights.ts";
import { searchOf } from "./request.ts";
import { resultOf } from "./response.ts";
import {
  type Gateway,
  type InstantRequest,
  type InstantResult,
  type Listing,
  type Listings,
  type NamedSearch,
  type SearchResult,
  UnsupportedError,
} from "./types.ts";

export type { InsightsClient } from "./insights.ts";
export * from "./types.ts";

/** The most searches of one request. Source: the search guide. */
const MOST_SEARCHES = 20;

/** Searches whose hits are remembered, for the places of conversions. */
const REMEMBERED = 50;

export interface Options {
  /** The browser or device that searches. Default: a random id, which the browser keeps. */
  clientId?: string;
}

/** The `searchClient` of InstantSearch, React InstantSearch and Vue InstantSearch. */
export interface SearchClient {
  search<Hit>(requests: readonly unknown[]): Promise<{ results: (Omit<InstantResult, "hits"> & { hits: Hit[] })[] }>;
  searchForFacetValues(): Promise<never>;
}

export interface Clients {
  searchClient: SearchClient;
  /** For `insights: { insightsClient }`. */
  insightsClient: InsightsClient;
}

/** Returns the clients that InstantSearch takes, over a gateway: `new Relevance({ url, key })`. */
export function instantSearchClients(gateway: Gateway, listings: Listings, options: Options = {}): Clients {
  const visitor: Visitor = { clientId: options.clientId ?? keptClientId() };
  const shown = new Map<string, Map<string, number>>();

  /** Remembers the places of the hits of a search. */
  const remember = ({ queryID, hits, page, hitsPerPage }: InstantResult): void => {
    if (queryID === undefined || hits.length === 0) return;
    shown.set(queryID, new Map(hits.map(({ objectID }, at) => [objectID, page * hitsPerPage + at + 1])));
    const [oldest = ""] = shown.keys();
    if (shown.size > REMEMBERED) shown.delete(oldest);
  };

  const send = async (searches: NamedSearch[]): Promise<SearchResult[]> => {
    const parts = Array.from({ length: Math.ceil(searches.length / MOST_SEARCHES) }, (_, at) =>
      searches.slice(at * MOST_SEARCHES, (at + 1) * MOST_SEARCHES),
    );
    const headers = { "x-client-id": visitor.clientId };
    const answers = await Promise.all(parts.map((part) => gateway.multiSearch({ searches: part }, { headers })));
    return answers.flatMap(({ results }) => results);
  };

  const search = async (requests: readonly InstantRequest[]) => {
    const asked = requests.map((request) => ({ request, listing: listingOf(listings, request) }));
    const found = await send(asked.map(({ request, listing }) => searchOf(request, listing, visitor.userId)));
    const results = asked.map(({ request, listing }, at) => resultOf(request, listing, found[at] ?? { status: 500 }));
    for (const result of results) remember(result);
    return { results };
  };

  return {
    searchClient: {
      search: search as SearchClient["search"],
      searchForFacetValues: () =>
        Promise.reject(new UnsupportedError("searching in facet values is not supported: raise the size of the facet")),
    },
    insightsClient: insightsClient(gateway, visitor, (queryId, objectId) => shown.get(queryId)?.get(objectId)),
  };
}

function listingOf(listings: Listings, { indexName = "" }: InstantRequest): Listing {
  const listing = listings[indexName];
  if (listing) return listing;
  throw new UnsupportedError(`the index name ${indexName} is not listed: ${Object.keys(listings).join(", ")} are`);
}

const STORED = "relevance-client-id";

/** Returns the id that the browser keeps for this site, a new one if it keeps none. */
function keptClientId(): string {
  // `randomUUID` is missing in pages without HTTPS.
  const made = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  try {
    const kept = localStorage.getItem(STORED) ?? made;
    localStorage.setItem(STORED, kept);
    return kept;
  } catch {
    // The visitor does not let the site store anything.
    return made;
  }
}
