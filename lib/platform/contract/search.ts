/** How the scores of each subquery are normalized. `z_score` needs OpenSearch 3.0. */
export const NORMALIZATIONS = ["min_max", "l2", "z_score"] as const;
export type Normalization = (typeof NORMALIZATIONS)[number];

/** How the normalized scores of a document are combined. `rrf` uses ranks in place of scores; it needs OpenSearch 2.19. */
export const COMBINATIONS = ["arithmetic_mean", "geometric_mean", "harmonic_mean", "rrf"] as const;
export type Combination = (typeof COMBINATIONS)[number];

interface CombinationFacts {
  /** The values that it combines. Ranks need no normalization. */
  of: "scores" | "ranks";
  /** Whether the combined score is the sum of what each subquery adds to it. */
  isSum: boolean;
  /** The normalizations beside which the cluster accepts it; beside one of ranks they have no effect. */
  normalizations: readonly Normalization[];
}

/** The constant of reciprocal rank fusion, the cluster's default (Cormack, Clarke and Büttcher 2009). */
export const RANK_CONSTANT = 60;

/** Properties of each combination. */
export const COMBINATION_FACTS: Readonly<Record<Combination, CombinationFacts>> = {
  arithmetic_mean: { of: "scores", isSum: true, normalizations: NORMALIZATIONS },
  geometric_mean: { of: "scores", isSum: false, normalizations: ["min_max", "l2"] },
  harmonic_mean: { of: "scores", isSum: false, normalizations: ["min_max", "l2"] },
  rrf: { of: "ranks", isSum: true, normalizations: NORMALIZATIONS },
};

/** A normalization and a combination. */
export interface Techniques {
  normalization: Normalization;
  combination: Combination;
}

/** Returns what is wrong with a combination beside a normalization, such as `must be arithmetic_mean with z_score`. */
export function pairProblem({ normalization, combination }: Techniques): string | undefined {
  const accepts = (name: Combination) => COMBINATION_FACTS[name].normalizations.includes(normalization);
  if (accepts(combination)) return undefined;
  const others = COMBINATIONS.filter((name) => COMBINATION_FACTS[name].of === "scores" && accepts(name));
  return `must be ${others.join(" or ")} with ${normalization}`;
}

/** Settings of a hybrid search unless its request or the entry of its index has others. */
export const HYBRID_DEFAULTS = {
  normalization: "min_max",
  combination: "arithmetic_mean",
  /** Hits of each subquery that are normalized and combined. */
  candidates: 100,
} as const satisfies Techniques & { candidates: number };

/** The most subqueries of a hybrid query. Source: neural-search, HybridQueryBuilder. */
export const MAX_SUBQUERIES = 5;

/** The most candidates of each subquery. */
export const MAX_CANDIDATES = 10_000;

/** The cluster's own limit for an index name, in bytes of UTF-8. */
export const MAX_INDEX_BYTES = 255;

/** The most hits that a reranker reads in one search. */
export const MAX_RERANKED = 200;

/** How a document, or a subquery, is handled if its embedding failed. */
export const ON_EMBEDDING_FAILURE = ["fail", "degrade"] as const;
export type OnEmbeddingFailure = (typeof ON_EMBEDDING_FAILURE)[number];

/** How an experiment compares variants: each user gets one of them, or the hits of both in one list. */
export const EXPERIMENT_KINDS = ["split", "interleave"] as const;

/** The variant of a search whose hits are those of both variants. */
export const INTERLEAVED = "interleaved";

/** How user ids are logged: as they are, as a keyed hash, or not at all. */
export const USER_ID_LOGGING = ["plain", "hmac", "none"] as const;
export type UserIdLogging = (typeof USER_ID_LOGGING)[number];

/** The endpoints whose requests are searches. Each is also the name of an endpoint in the rights of a key. */
export const SEARCHES = ["search", "hybrid-search"] as const;
export type SearchKind = (typeof SEARCHES)[number];

/** Operations of a bulk request. */
export const BULK_OPERATIONS = ["index", "create", "update", "delete"] as const;
export type OperationName = (typeof BULK_OPERATIONS)[number];

/** The cluster's kinds of versions that a caller can give: `external` must be greater than the stored one, or equal. */
export const VERSION_TYPES = ["external", "external_gte"] as const;
export type VersionType = (typeof VERSION_TYPES)[number];

/** Formats of files that `relevance index import` reads. */
export const IMPORT_FORMATS = ["documents", "bulk", "csv"] as const;
export type Format = (typeof IMPORT_FORMATS)[number];

/** Whether the total of an answer is exact, or a lower bound. */
export const TOTAL_RELATIONS = ["eq", "gte"] as const;
export type TotalRelation = (typeof TOTAL_RELATIONS)[number];

/** How a search without hits is handled: not at all, its answer suggests another text, or that text is searched for. */
export const NO_HITS = ["nothing", "tell", "search"] as const;
export type NoHits = (typeof NO_HITS)[number];

/** Sources of suggestions: texts that others searched for, and titles of documents. */
export const SUGGESTION_SOURCES = ["searches", "titles"] as const;
export type SuggestionSource = (typeof SUGGESTION_SOURCES)[number];

/** The document of rules that a search is made with: the one in use, a draft of the next one, or none. */
export const RULE_SETS = ["current", "draft", "none"] as const;
export type RuleSet = (typeof RULE_SETS)[number];

/** The name of a segment of users. */
export const SEGMENT = /^[A-Za-z0-9_-]{1,64}$/;

/** The most segments that a request may name. */
export const MAX_SEGMENTS = 10;

/** The stages that change the query before the cluster gets it, in the order in which they run. */
export const REWRITE_STAGES = ["synonyms"] as const;
export type RewriteStage = (typeof REWRITE_STAGES)[number];

/** The stages that change the window between the fused list and a page, in the order in which they run. */
export const PAGE_STAGES = [
  "interleaving",
  // The scores of a reranker know nothing of the user, so the ranking for the user comes after it.
  "rerank",
  "personalization",
  // Behind the orders by a model, which would undo it.
  "boost",
  "variety",
  // Last, so that nothing moves a pin.
  "rules",
] as const;
export type PageStage = (typeof PAGE_STAGES)[number];

/** Parts of an answer of the search gateway that can be missing from it without failing the request. */
export const SEARCH_STAGES = [
  "embedding",
  "passages",
  ...REWRITE_STAGES,
  ...PAGE_STAGES,
  "profile",
  "explanation",
  "collapse",
  "depth",
  "totals",
  "suggestions",
  "shards",
  "timed_out",
] as const;
