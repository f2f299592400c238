import type { Constraint, Row } from "../array.ts";

/**
 * What a search can be: each dimension with its values, the usual one first. A new feature is a new dimension or a new
 * value here, and a member of `features.ts` or `queries.ts`.
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
  settings: ["none", "weights", "l2_geometric", "rrf", "z_score"],
  pipeline: ["none", "rename"],
  ranking: ["off", "on"],
  rerank: ["none", "request"],
  variety: ["none", "request"],
  synonyms: ["none", "entry"],
  rules: ["none", "pin", "hide", "filter", "boost"],
  experiment: ["none", "settings", "templates"],
  carrier: ["body", "template"],
  encoding: ["identity", "gzip", "deflate", "br"],
  key: ["printed", "limited", "template-only"],
  /** Whether the search goes through an endpoint of the gateway, or through its raw backend as a person writes it. */
  way: ["application", "raw"],
  /** Whether the dense model answers to queries. */
  model: ["up", "down"],
} as const;

export type SearchRow = Row<typeof SEARCH>;
type Part = Partial<SearchRow>;

const isStream = ({ form }: Part) => form === "data-stream" || form === "rolled-over";
const has = (value: string | undefined, ...values: string[]) => value !== undefined && values.includes(value);

const isHybrid = ({ queries }: Part) => queries !== undefined && queries !== "plain";

/** Combinations that make no sense, or that the cluster itself refuses. */
const CONSTRAINTS: ReadonlyArray<Constraint<typeof SEARCH>> = [
  {
    reason: "OpenSearch gives data streams no aliases",
    excludes: (row) => isStream(row) && row.entry === "alias",
  },
  {
    reason: "children of a join need a routing, which OpenSearch refuses for data streams",
    excludes: (row) => isStream(row) && row.mapping === "join",
  },
  {
    reason: "a key with indexes may send no search pipeline",
    excludes: ({ key, pipeline }) => key === "limited" && pipeline === "rename",
  },
  {
    reason: "without _meta an index names no entry",
    excludes: ({ entry, meta }) => entry === "described" && meta === "none",
  },
  {
    reason: "both of two entries are configured, and no index describes vectors of its own",
    excludes: ({ form, entry, meta }) =>
      has(form, "two-models", "two-entries") &&
      (has(entry, "none", "alias", "described") || has(meta, "current", "previous", "unknown")),
  },
  {
    reason: "without a sort there is nothing to search after",
    excludes: ({ page, sort }) => page === "search_after" && has(sort, "none", "score"),
  },
  {
    reason: "the cluster refuses rescore with a sort, and with collapse",
    excludes: ({ rescore, sort, collapse }) =>
      rescore === "yes" && (has(sort, "year", "score") || has(collapse, "yes", "inner_hits")),
  },
  {
    reason: "the cluster takes search_after with collapse for a sort by the same field alone",
    excludes: ({ page, collapse }) => page === "search_after" && has(collapse, "yes", "inner_hits"),
  },
  {
    reason: "stored_fields _none_ leaves out the source, and what is made from it",
    excludes: ({ stored_fields, source, highlight, pipeline, ranking, rerank, variety, inner_hits, collapse }) =>
      stored_fields === "_none_" &&
      (source === "year" ||
        has(highlight, "yes", "passages") ||
        pipeline === "rename" ||
        ranking === "on" ||
        rerank === "request" ||
        variety === "request" ||
        inner_hits === "yes" ||
        collapse === "inner_hits"),
  },
  {
    reason: "only nested fields and joins have inner hits",
    excludes: ({ inner_hits, mapping }) =>
      inner_hits === "yes" && mapping !== undefined && !has(mapping, "nested", "join"),
  },
  {
    reason: "settings and experiments are those of a hybrid query",
    excludes: ({ queries, settings, experiment }) =>
      queries === "plain" &&
      (has(settings, "weights", "l2_geometric", "rrf", "z_score") || has(experiment, "settings", "templates")),
  },
  {
    reason: "settings of a request end its part in an experiment",
    excludes: ({ settings, experiment }) =>
      has(settings, "weights", "l2_geometric", "rrf", "z_score") && has(experiment, "settings", "templates"),
  },
  {
    reason: "variants that are templates need a request that names one",
    excludes: ({ experiment, carrier }) => experiment === "templates" && carrier === "body",
  },
  {
    reason: "the key may send its templates and nothing else",
    excludes: ({ key, carrier }) => key === "template-only" && carrier === "body",
  },
  {
    reason:
      "the raw backend has neither rankings, experiments, settings, templates, reranking, variety, rules nor models",
    excludes: ({ way, ranking, experiment, settings, carrier, model, key, rerank, variety, rules }) =>
      way === "raw" &&
      (ranking === "on" ||
        has(experiment, "settings", "templates") ||
        has(settings, "weights", "l2_geometric", "rrf", "z_score") ||
        carrier === "template" ||
        model === "down" ||
        rerank === "request" ||
        variety === "request" ||
        has(rules, "pin", "hide", "filter", "boost") ||
        key === "template-only"),
  },
  {
    reason: "a hybrid query needs a search pipeline, which a key with indexes may not send to the raw backend",
    excludes: (row) => row.way === "raw" && row.key === "limited" && isHybrid(row),
  },
  {
    reason: "a point in time stands in place of the index, which the endpoints demand; keys with indexes may open none",
    excludes: ({ page, way, key }) => page === "point-in-time" && (way === "application" || key === "limited"),
  },
  {
    reason: "only a field of type completion has such suggestions",
    excludes: ({ suggest, mapping }) => suggest === "completion" && mapping !== undefined && mapping !== "completion",
  },
  {
    reason: "the key may send its templates, and neither variety nor reranking",
    excludes: ({ key, variety, rerank }) => key === "template-only" && (variety === "request" || rerank === "request"),
  },
  {
    reason: "the entry of an index has its synonyms, which the raw backend does not use",
    excludes: ({ synonyms, entry, way }) => synonyms === "entry" && (entry === "none" || way === "raw"),
  },
  {
    reason: "only several indexes can have passages in part, and only an entry says how each stores its vectors",
    excludes: ({ passages, form, entry }) =>
      passages === "some" &&
      (entry === "none" || has(form, "name", "alias", "filtered-alias", "data-stream", "date-math")),
  },
  {
    reason: "a subquery without a vector has no filter of vectors",
    excludes: ({ knn_filter, queries }) => has(knn_filter, "range", "terms") && has(queries, "plain", "K", "S", "KSQ"),
  },
  {
    reason: "which hits pins take the places of is only known without other stages; page-stages.test.ts plays them all",
    excludes: ({ rules, ranking, rerank, variety }) =>
      rules === "pin" && (ranking === "on" || rerank === "request" || variety === "request"),
  },
  {
    reason: "only the vector of a query in another model is needed where nothing else can fail",
    excludes: ({ model, queries }) => model === "down" && has(queries, "plain", "K", "S", "KSQ"),
  },
  {
    reason: "OpenSearch opens no index that has dense vectors beside sparse_vector",
    excludes: ({ vectors, queries, mapping, passages, form }) =>
      vectors === "sparse_vector" &&
      (has(queries, "KD", "D", "KDS", "DS", "KKDSQ") ||
        mapping === "vectors" ||
        has(passages, "all", "some") ||
        form === "two-models"),
  },
  {
    reason: "a hybrid query that has no subquery left is a 503, which other tests show",
    excludes: ({ model, queries, meta, form, entry, passages }) =>
      queries === "D" &&
      entry !== "none" &&
      (model === "down" || meta === "unknown" || form === "two-models" || passages === "some"),
  },
];

/** Combinations that a version of the cluster refuses for hybrid queries, whoever asks. */
const OF_VERSION: Readonly<Record<"2" | "3", ReadonlyArray<Constraint<typeof SEARCH>>>> = {
  2: [
    {
      reason: "OpenSearch 2 asks for each group by a query around the hybrid one, which it refuses",
      excludes: (row) => isHybrid(row) && row.collapse === "inner_hits",
    },
  ],
  3: [
    {
      reason: "OpenSearch 3 takes no min_score for a hybrid query with a sort by a field",
      excludes: (row) => isHybrid(row) && row.min_score === "yes" && row.sort === "year",
    },
    {
      reason: "OpenSearch 3 fails on the groups of a hybrid query that is sorted by score (collapseField is null)",
      excludes: (row) => isHybrid(row) && row.collapse === "inner_hits" && row.sort === "score",
    },
  ],
};

/** Returns the constraints for a version of the cluster. */
export const searchConstraints = (version: string): ReadonlyArray<Constraint<typeof SEARCH>> => [
  ...CONSTRAINTS,
  ...OF_VERSION[version.startsWith("2.") ? 2 : 3],
];

/** Returns the dimensions for a version of the cluster: z_score came with OpenSearch 3.0, sparse_vector with 3.3. */
export function searchDimensions(version: string) {
  if (!version.startsWith("2.")) return SEARCH;
  const settings = SEARCH.settings.filter((value) => value !== "z_score");
  const vectors = SEARCH.vectors.filter((value) => value !== "sparse_vector");
  return { ...SEARCH, settings, vectors } as unknown as typeof SEARCH;
}
