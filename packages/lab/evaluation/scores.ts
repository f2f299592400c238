import type { Interval } from "@relevance/lib/platform/statistics/bootstrap.ts";

/** A metric of one setting. */
export interface Score {
  /** Mean over queries, with its own interval. */
  mean: Interval;
  /** Mean difference from the baseline. All settings' intervals of one metric hold at once. */
  difference: Interval;
  /** Value of each query, in the order of `Evaluation.queries`. */
  values: readonly number[];
}

export interface EvaluatedSetting {
  name: string;
  /** By the metric's name. */
  scores: Readonly<Record<string, Score>>;
  milliseconds: { p50: number; p95: number };
  /** How many answers were degraded. */
  degraded: number;
  /** Why the first of them was. */
  degradedReason?: string | undefined;
  judged: JudgedHits;
  /** Reranker usage per thousand searches; undefined if none was called. */
  usage?: ModelUsage;
  /** How the gateway fused all of its searches; undefined if it did not, or not all of them alike. */
  fusedBy?: Fusion;
}

/** Settings that the gateway fused the subqueries of a search with: those of the request, else of the index. */
export interface Fusion {
  /** Null: equal weights. */
  weights: readonly number[] | null;
  normalization: string;
  combination: string;
}

/** Reranker usage: calls, billed units, and scores served from the cache. */
export interface ModelUsage {
  calls: number;
  units: number;
  cached: number;
}

/** How much is judged of the hits that the verdict looks at. */
export interface JudgedHits {
  /** Hits of all queries, down to the metric's depth but 10 at most. */
  hits: number;
  judged: number;
}

/** Returns the share of judged hits; 1 without hits, since nothing is left to judge. */
export const shareOf = ({ hits, judged }: JudgedHits): number => (hits === 0 ? 1 : judged / hits);
