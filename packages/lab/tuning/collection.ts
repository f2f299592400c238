import {
  combineSubqueries,
  type NormalizedSubqueries,
  normalizeSubqueries,
  scoringOf,
} from "@relevance/lib/search/fusion/fuse.ts";
import type { SubqueryHits } from "@relevance/lib/search/fusion/techniques.ts";
import type { Grades, Metric } from "../metrics/metric.ts";
import type { TunedSettings } from "./settings.ts";

/** One query with the hits of each subquery, retrieved once for each `k`. */
export interface TuningQuery {
  id: string;
  grades: Grades;
  /** By `k` of the knn queries; null is the template's own. All have the same number of subqueries. */
  retrieved: ReadonlyMap<number | null, readonly SubqueryHits[]>;
}

/** Computes the metric of each query under any settings, without asking the cluster again. */
export interface Collection {
  queries: number;
  subqueries: number;
  /** Returns the metric of each query, negated where lower is better. Repeats are remembered. */
  values(settings: TunedSettings): Float64Array;
  /** How many different settings were computed. */
  computed(): number;
}

/** Hits that a metric without a depth looks at. */
const ALL = 100;

/** Returns a collection over queries, at least one. `globalRanks` as of `normalizeSubqueries`. */
export function collectionOf(queries: readonly TuningQuery[], metric: Metric, globalRanks: boolean): Collection {
  const sign = metric.higherIsBetter ? 1 : -1;
  const size = metric.k ?? ALL;
  const normalized = new Map<string, readonly NormalizedSubqueries[]>();
  const known = new Map<string, Float64Array>();
  const [first] = queries;

  function prepared({ normalization, combination, candidates, k }: TunedSettings): readonly NormalizedSubqueries[] {
    const scoring = scoringOf({ normalization, combination });
    const key = `${scoring} ${candidates} ${k}`;
    const found = normalized.get(key);
    if (found) return found;
    const made = queries.map(({ retrieved }) => {
      const subqueries = (retrieved.get(k) ?? []).map((subquery) => subquery.map((hits) => hits.slice(0, candidates)));
      return normalizeSubqueries(subqueries, scoring, globalRanks);
    });
    normalized.set(key, made);
    return made;
  }

  return {
    queries: queries.length,
    subqueries: first?.retrieved.values().next().value?.length ?? 0,
    computed: () => known.size,
    values(settings) {
      const key = JSON.stringify(settings);
      const found = known.get(key);
      if (found) return found;
      const subqueries = prepared(settings);
      const values = Float64Array.from(queries, ({ grades }, index) => {
        const hits = combineSubqueries(
          subqueries[index] as NormalizedSubqueries,
          settings.combination,
          settings.weights,
          size,
        );
        return (
          sign *
          metric.of(
            hits.map(({ id }) => id),
            grades,
          )
        );
      });
      known.set(key, values);
      return values;
    },
  };
}
