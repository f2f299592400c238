import type { Constraint } from "../array.ts";
import type { SEARCH, SearchRow } from "./dimensions.ts";
import { has, isHybrid, OF_VERSION } from "./version-constraints.ts";

type Part = Partial<SearchRow>;

const isStream = ({ form }: Part) => form === "data-stream" || form === "rolled-over";

/** Returns whether a value differs from the usual one, `none`. */
const isSome = (value: string | undefined): boolean => value !== undefined && value !== "none";

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
    excludes: ({ key, pipeline }) => key === "limited" && isSome(pipeline),
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
    excludes: ({
      stored_fields,
      source,
      highlight,
      pipeline,
      default_pipeline,
      ranking,
      rerank,
      boost,
      variety,
      inner_hits,
      collapse,
    }) =>
      stored_fields === "_none_" &&
      (source === "year" ||
        has(highlight, "yes", "passages") ||
        pipeline === "rename" ||
        default_pipeline === "rename" ||
        ranking === "on" ||
        rerank === "request" ||
        boost === "request" ||
        variety === "request" ||
        inner_hits === "yes" ||
        collapse === "inner_hits"),
  },
  {
    reason: "a search without keywords has no condition, and the second template of an experiment has other words",
    excludes: ({ condition, queries, experiment }) =>
      isSome(condition) &&
      ((queries !== undefined && !queries.includes("K") && queries !== "plain") || experiment === "templates"),
  },
  {
    reason: "a derived field is a script, which only keys without indexes may send",
    excludes: ({ derived, key }) => derived === "yes" && key === "limited",
  },
  {
    reason: "only nested fields and joins have inner hits",
    excludes: ({ inner_hits, mapping }) =>
      inner_hits === "yes" && mapping !== undefined && !has(mapping, "nested", "join"),
  },
  {
    reason: "settings and experiments are those of a hybrid query",
    excludes: ({ queries, settings, experiment }) =>
      queries === "plain" && (has(settings, "weights", "l2_geometric", "rrf", "z_score") || isSome(experiment)),
  },
  {
    reason: "settings of a request end its part in an experiment",
    excludes: ({ settings, experiment }) =>
      has(settings, "weights", "l2_geometric", "rrf", "z_score") && isSome(experiment),
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
      "the raw backend has neither rankings, experiments, settings, templates, reranking, boosts, variety, rules nor models",
    excludes: ({
      way,
      ranking,
      experiment,
      settings,
      carrier,
      model,
      key,
      rerank,
      boost,
      variety,
      rules,
      segments,
      no_hits,
    }) =>
      way === "raw" &&
      (ranking === "on" ||
        isSome(experiment) ||
        has(settings, "weights", "l2_geometric", "rrf", "z_score") ||
        carrier === "template" ||
        model === "down" ||
        rerank === "request" ||
        boost === "request" ||
        variety === "request" ||
        isSome(rules) ||
        isSome(segments) ||
        has(no_hits, "tell", "search") ||
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
    reason: "a filter does not reach children of hits and completions, so that such a search is refused",
    excludes: ({ filter, mapping, inner_hits, suggest }) =>
      isSome(filter) && (suggest === "completion" || (inner_hits === "yes" && mapping === "join")),
  },
  {
    reason: "only a hybrid query has something beside its subqueries, and only the endpoints know the member",
    excludes: ({ filter, queries, way, key }) =>
      (filter === "beside" && queries === "plain") ||
      (isSome(filter) && way === "raw") ||
      (filter === "request" && key === "template-only"),
  },
  {
    reason:
      "a token's filter reaches neither suggesters, profiles nor suggested texts, nor a caller's pipeline or joins",
    excludes: ({ filter, suggest, profile, no_hits, pipeline, derived, mapping, key }) =>
      filter === "token" &&
      (has(suggest, "term", "phrase", "completion") ||
        profile === "yes" ||
        has(no_hits, "tell", "search") ||
        ((isSome(pipeline) || mapping === "join" || derived === "yes") && has(key, "printed", "limited"))),
  },
  {
    reason: "the key may send its templates, and none of the members that change what they do",
    excludes: ({ key, boost, variety, rerank, settings, no_hits }) =>
      key === "template-only" &&
      (boost === "request" ||
        variety === "request" ||
        rerank === "request" ||
        isSome(settings) ||
        has(no_hits, "tell", "search")),
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
    excludes: ({ rules, experiment, ranking, rerank, variety }) =>
      (has(rules, "pin", "pin_unfit", "pin_anyway") || experiment === "interleave") &&
      (ranking === "on" || rerank === "request" || variety === "request"),
  },
  {
    reason: "where a boost moves hits is only known from the list itself",
    excludes: ({ boost, rules, experiment, ranking, rerank, variety }) =>
      boost === "request" &&
      (has(rules, "pin", "pin_unfit", "pin_anyway") ||
        experiment === "interleave" ||
        ranking === "on" ||
        rerank === "request" ||
        variety === "request"),
  },
  {
    reason: "the places of interleaved hits are drawn, so that nobody knows which one a pin is put before",
    excludes: ({ rules, experiment }) => has(rules, "pin", "pin_unfit", "pin_anyway") && experiment === "interleave",
  },
  {
    reason: "each variant has scores of its own, of which other ones reach the minimum",
    excludes: ({ min_score, experiment }) => min_score === "yes" && experiment === "interleave",
  },
  {
    reason: "only a query of keywords alone finds nothing, and only an index that its entry names has suggestions",
    excludes: ({ no_hits, queries, form, entry }) =>
      has(no_hits, "tell", "search") &&
      ((queries !== undefined && !has(queries, "plain", "K")) ||
        (form !== undefined && form !== "name") ||
        (entry !== undefined && entry !== "exact")),
  },
  {
    reason: "one of the alternatives has words of its own, which find something",
    excludes: ({ no_hits, condition }) => has(no_hits, "tell", "search") && condition === "dis_max",
  },
  {
    reason: "a pin is a hit, and another text in place of the typed one finds something",
    excludes: ({ no_hits, rules }) =>
      has(no_hits, "tell", "search") && has(rules, "pin", "pin_unfit", "pin_anyway", "replace_text"),
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

/** Returns the constraints for a version of the cluster. */
export const searchConstraints = (version: string): ReadonlyArray<Constraint<typeof SEARCH>> => [
  ...CONSTRAINTS,
  ...OF_VERSION[version.startsWith("2.") ? 2 : 3],
];
