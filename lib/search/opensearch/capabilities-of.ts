/** Capabilities of the cluster's version for hybrid search. Sources: OpenSearch release notes and neural-search #1754. */
export interface Capabilities {
  version: string;
  /** `hybrid` queries with the oversample and truncate_hits processors, since 2.12. */
  hybrid: boolean;
  /** `neural_sparse` queries with `query_tokens`, since 2.14. */
  queryTokens: boolean;
  /** `pagination_depth` and thereby `from`, since 2.19. */
  pagination: boolean;
  /** The response processor `hybrid_score_explanation`, since 2.19. */
  scoreExplanation: boolean;
  /** The same for an index with nested fields or a filtered alias, since 3.8. Source: neural-search #1875. */
  wrappedExplanation: boolean;
  /** `collapse` with `hybrid`, since 3.1. Earlier versions ignore it. */
  hybridCollapse: boolean;
  /** The `score-ranker-processor`, which fuses by reciprocal rank, since 2.19. */
  rrf: boolean;
  /** Weights for RRF, and ranks over all shards. 3.6.0 has them, 2.19.6 does not; versions between were not tested. */
  weightedRrf: boolean;
  /** Normalization by z_score, since 3.0. */
  zScore: boolean;
  /**
   * Totals and aggregations of `hybrid` count every match. From 3.1 on they omit matches that the scorer skips in large
   * segments. Sources: neural-search #1289 (since) and #1971 (the cause; open in September 2026).
   */
  hybridTotals: boolean;
  /** `profile: true` with `hybrid`, since 3.6. Earlier versions fail every such search. */
  hybridProfile: boolean;
  /** Filters of a k-NN query inside `nested` always apply to whole documents, since 3.0. */
  nestedKnnFilters: boolean;
}

/** Returns the capabilities of a version such as `3.6.0`. */
export function capabilitiesOf(version: string): Capabilities {
  const [major = 0, minor = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  const atLeast = (wantedMajor: number, wantedMinor: number) =>
    major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
  return {
    version,
    hybrid: atLeast(2, 12),
    queryTokens: atLeast(2, 14),
    pagination: atLeast(2, 19),
    scoreExplanation: atLeast(2, 19),
    wrappedExplanation: atLeast(3, 8),
    hybridCollapse: atLeast(3, 1),
    rrf: atLeast(2, 19),
    weightedRrf: atLeast(3, 6),
    zScore: atLeast(3, 0),
    hybridTotals: !atLeast(3, 1),
    hybridProfile: atLeast(3, 6),
    nestedKnnFilters: atLeast(3, 0),
  };
}
