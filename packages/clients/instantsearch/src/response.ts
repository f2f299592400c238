import { type ClusterHit, shownHit } from "./highlight.ts";
import { facetsOf, pagingOf } from "./request.ts";
import {
  type InstantRequest,
  type InstantResult,
  type Listing,
  parameterOf,
  SearchError,
  type SearchResult,
} from "./types.ts";

/** The hits of all pages, as in Algolia. */
const MOST = 1_000;

/** The parts of a search's answer that are read here. */
interface Answer {
  search_response: {
    took: number;
    hits: { total?: { value: number; relation: string }; hits: ClusterHit[] };
    aggregations?: Readonly<Record<string, Aggregation>>;
  };
  stages?: readonly { outside?: number }[];
  did_you_mean?: InstantResult["didYouMean"];
}

interface Aggregation {
  buckets?: readonly { key: unknown; key_as_string?: string; doc_count: number }[];
  sum_other_doc_count?: number;
  min?: number | null;
  max?: number | null;
  avg?: number | null;
  sum?: number | null;
}

/** Returns an answer as InstantSearch reads it. Throws SearchError for a search that failed. */
export function resultOf(request: InstantRequest, listing: Listing, result: SearchResult): InstantResult {
  if (result.answer === undefined) throw new SearchError(result);
  const { search_response, stages = [], did_you_mean } = result.answer as Answer;
  const { took, hits, aggregations = {} } = search_response;
  const { page, hitsPerPage } = pagingOf(request);
  // Pinned documents that the search does not find are on its pages, too.
  const outside = stages.reduce((sum, stage) => sum + (stage.outside ?? 0), 0);
  const nbHits = hits.total ? hits.total.value + outside : hits.hits.length;
  const { params = {} } = request;
  const most = Number(params.maxValuesPerFacet ?? Number.POSITIVE_INFINITY);
  const asked = facetsOf(request, listing).map((name) => ({ name, found: aggregations[parameterOf(name)] ?? {} }));
  const ranges = asked.filter(({ name }) => listing.facets?.[name] === "range");
  return {
    index: request.indexName ?? "",
    query: String(params.query ?? ""),
    params: "",
    hits: hits.hits.map((hit) => shownHit(hit, request)),
    page,
    hitsPerPage,
    nbHits,
    nbPages: hitsPerPage > 0 ? Math.ceil(Math.min(nbHits, listing.most ?? MOST) / hitsPerPage) : 0,
    exhaustiveNbHits: hits.total?.relation === "eq",
    exhaustiveFacetsCount: asked.every(({ found }) => (found.sum_other_doc_count ?? 0) === 0),
    facets: Object.fromEntries(asked.map(({ name, found }) => [name, countsOf(found, most)])),
    facets_stats: Object.fromEntries(ranges.flatMap(({ name, found }) => statsOf(found).map((stats) => [name, stats]))),
    processingTimeMS: took,
    ...(result.query_id !== undefined && { queryID: result.query_id }),
    ...(did_you_mean && { didYouMean: did_you_mean }),
  };
}

const countsOf = ({ buckets = [] }: Aggregation, most: number): Record<string, number> =>
  Object.fromEntries(
    buckets.slice(0, most).map(({ key, key_as_string, doc_count }) => [key_as_string ?? String(key), doc_count]),
  );

/** Returns the statistics of a range, if any document has a number. */
const statsOf = ({ min, max, avg, sum }: Aggregation) =>
  min == null || max == null || avg == null || sum == null ? [] : [{ min, max, avg, sum }];
