import type { Row } from "../array.ts";

/**
 * What a search can be: each dimension with its values, the usual one first. A new feature is a new dimension or a new
 * value here, and a member of `body.ts` or `request.ts`.
 */
export const SEARCH = {
  /** How the index is named. */
  form: [
    "name",
    "alias",
    "write-alias",
    "filtered-alias",
    "data-stream",
    "rolled-over",
    "list",
    "wildcard",
    "exclusion",
    "date-math",
    "two-models",
    "two-entries",
  ],
  /** What ties the index to its entry in hybrid_search.yaml. */
  entry: ["exact", "none", "prefix", "alias", "described"],
  /** The model that `_meta` says has made the vectors. */
  meta: ["none", "current", "previous", "unknown"],
  shards: ["1", "3"],
  mapping: ["plain", "nested", "object", "flat_object", "join", "completion", "vectors"],
  /** How the index stores embeddings; with the last value it has sparse ones alone. */
  vectors: ["float", "byte", "sq", "sparse_vector"],
  /** The search pipeline that the indexes have as their default: processors of hits, and one of the query. */
  default_pipeline: ["none", "rename", "truncate", "filter"],
  /** A block of the indexes that lets searches through. */
  block: ["none", "write"],
  /** Which of the indexes have passages in place of one vector for each document; `some`: the first of two. */
  passages: ["none", "all", "some"],
  page: ["first", "second", "size-0", "search_after", "deep", "beyond", "point-in-time"],
  sort: ["none", "year", "score"],
  collapse: ["no", "yes", "inner_hits"],
  inner_hits: ["no", "yes"],
  aggregations: ["no", "terms", "top_hits"],
  highlight: ["no", "yes", "passages"],
  explain: ["no", "yes"],
  profile: ["no", "yes"],
  stored_fields: ["no", "_none_"],
  docvalue_fields: ["no", "yes"],
  source: ["no", "year"],
  rescore: ["no", "yes"],
  suggest: ["no", "term", "completion", "phrase"],
  post_filter: ["no", "yes"],
  min_score: ["no", "yes"],
  track_total_hits: ["no", "false", "5"],
  /** Subqueries: keywords, dense, sparse, raw query tokens. `plain` is a search without a hybrid query. */
  queries: ["KD", "plain", "K", "D", "S", "KDS", "DS", "KKDSQ", "KSQ"],
  /** A filter of the dense clause itself. */
  knn_filter: ["none", "range", "terms"],
  /** A filter of the whole search: a member of the request, beside the subqueries, or of the caller's token. */
  filter: ["none", "request", "beside", "token"],
  /** The place of a condition beside the words: facets of a shop. */
  condition: ["none", "must", "should", "dis_max", "subquery"],
  /** Whether the request has a derived field, which the condition is of. */
  derived: ["no", "yes"],
  settings: ["none", "weights", "l2_geometric", "rrf", "z_score"],
  /** Response processors of the request; the last one leaves out hits of each page. */
  pipeline: ["none", "rename", "truncate"],
  ranking: ["off", "on"],
  rerank: ["none", "request"],
  boost: ["none", "request"],
  variety: ["none", "request"],
  synonyms: ["none", "entry"],
  /** `pin_unfit` and `pin_anyway` pin a document that most filters leave out; the latter lets it ignore them. */
  rules: ["none", "pin", "pin_unfit", "pin_anyway", "hide", "filter", "boost", "bury", "replace_text"],
  /** For whom the rules are: everybody, a segment that the request names, or one that it does not. */
  segments: ["none", "named", "other"],
  /** What becomes of a text that nobody has written so, and that finds nothing. `no`: the text finds something. */
  no_hits: ["no", "tell", "search"],
  experiment: ["none", "settings", "templates", "interleave"],
  carrier: ["body", "template"],
  encoding: ["identity", "gzip", "deflate", "br"],
  key: ["printed", "limited", "template-only"],
  /** Whether the search goes through an endpoint of the gateway, or through its raw backend as a person writes it. */
  way: ["application", "raw"],
  /** Whether the dense model answers to queries. */
  model: ["up", "down"],
} as const;

export type SearchRow = Row<typeof SEARCH>;

/** Returns the dimensions for a version of the cluster: z_score came with OpenSearch 3.0, sparse_vector with 3.3. */
export function searchDimensions(version: string) {
  if (!version.startsWith("2.")) return SEARCH;
  const settings = SEARCH.settings.filter((value) => value !== "z_score");
  const vectors = SEARCH.vectors.filter((value) => value !== "sparse_vector");
  return { ...SEARCH, settings, vectors } as unknown as typeof SEARCH;
}
