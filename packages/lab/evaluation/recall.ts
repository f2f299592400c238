import { type Interval, meanInterval } from "@relevance/lib/platform/statistics/bootstrap.ts";
import { ndcg } from "@relevance/lib/platform/statistics/ndcg.ts";
import type { Judgments } from "../judgments/judgments.ts";

/** Document ids found by exact search and by the measured approximate search, best first. */
export interface Pair {
  query: string;
  exact: TimedSearch & Scored;
  approximate: TimedSearch;
}

export interface TimedSearch {
  ranking: readonly string[];
  /** Milliseconds of the search in the cluster. */
  milliseconds: number;
}

/** An exact search. It reads on after the first `k`, since documents there may be as near as the last of them. */
export interface Scored {
  ranking: readonly string[];
  /** In the order of the ranking. */
  scores: readonly number[];
}

/** How near an approximate search is to the exact one. */
export interface RecallReport {
  /** Queries for which exact search found anything. */
  queries: number;
  k: number;
  /** See {@link recallAt}. */
  recall: Interval;
  /** Means of nDCG@k over the judged queries, if there are judgments. */
  ndcg?: { queries: number; exact: number; approximate: number };
  /** Medians. */
  milliseconds: { exact: number; approximate: number };
}

/**
 * Returns how many of the first `k` documents of an approximate search are at least as near as the `k`-th of the exact one,
 * as a share of `k`, or of all documents if there are fewer. Any of several that are equally near counts, as in
 * Aumüller, Bernhardsson and Faithfull, "ANN-Benchmarks", 2020, section 2.1.
 */
export function recallAt({ ranking, scores }: Scored, approximate: readonly string[], k: number): number {
  const last = Math.min(k, ranking.length) - 1;
  const near = new Set(ranking.filter((_, at) => (scores[at] ?? 0) >= (scores[last] ?? 0)));
  return approximate.slice(0, k).filter((id) => near.has(id)).length / (last + 1);
}

/** Compares searches of queries. Undefined if exact search found nothing for any of them. */
export function recallReport(pairs: readonly Pair[], k: number, judgments?: Judgments): RecallReport | undefined {
  const found = pairs.filter(({ exact }) => exact.ranking.length > 0);
  if (found.length === 0) return undefined;
  const judged = found.flatMap(({ query, exact, approximate }) => {
    const grades = judgments?.get(query);
    return grades ? [{ exact: ndcg(exact.ranking, grades, k), approximate: ndcg(approximate.ranking, grades, k) }] : [];
  });
  const median = (of: (pair: Pair) => TimedSearch) =>
    found.map((pair) => of(pair).milliseconds).sort((a, b) => a - b)[Math.floor((found.length - 1) / 2)] ?? 0;
  const mean = (of: (one: (typeof judged)[number]) => number) =>
    judged.reduce((sum, one) => sum + of(one), 0) / judged.length;
  return {
    queries: found.length,
    k,
    recall: meanInterval(found.map(({ exact, approximate }) => recallAt(exact, approximate.ranking, k))),
    ...(judged.length > 0 && {
      ndcg: { queries: judged.length, exact: mean((one) => one.exact), approximate: mean((one) => one.approximate) },
    }),
    milliseconds: { exact: median((pair) => pair.exact), approximate: median((pair) => pair.approximate) },
  };
}
