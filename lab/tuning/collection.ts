import { combineLegs, type NormalizedLegs, normalizeLegs, scoringOf } from "../../lib/search/fusion/fuse.ts";
import type { LegHits } from "../../lib/search/fusion/techniques.ts";
import type { Grades, Metric } from "../metrics/metric.ts";
import type { TunedSettings } from "./settings.ts";

/** One query with the hits of each leg, retrieved once for each `k`. */
export interface TuningQuery {
  id: string;
  grades: Grades;
  /** By `k` of the knn queries; null is the template's own. All have the same number of legs. */
  retrieved: ReadonlyMap<number | null, readonly LegHits[]>;
}

/** Computes the metric of each query under any settings, without asking the cluster again. */
export interface Collection {
  queries: number;
  legs: number;
  /** Returns the metric of each query, negated where lower is better. Repeats are remembered. */
  values(settings: TunedSettings): Float64Array;
  /** How many different settings were computed. */
  computed(): number;
}

/** Hits that a metric without a depth looks at. */
const ALL = 100;

/** Returns a collection over queries, at least one. `globalRanks` as of `normalizeLegs`. */
export function collectionOf(queries: readonly TuningQuery[], metric: Metric, globalRanks: boolean): Collection {
  const sign = metric.higherIsBetter ? 1 : -1;
  const size = metric.k ?? ALL;
  const normalized = new Map<string, readonly NormalizedLegs[]>();
  const known = new Map<string, Float64Array>();
  const [first] = queries;

  function prepared({ normalization, combination, candidates, k }: TunedSettings): readonly NormalizedLegs[] {
    const scoring = scoringOf({ normalization, combination });
    const key = `${scoring} ${candidates} ${k}`;
    const found = normalized.get(key);
    if (found) return found;
    const made = queries.map(({ retrieved }) => {
      const legs = (retrieved.get(k) ?? []).map((leg) => leg.map((hits) => hits.slice(0, candidates)));
      return normalizeLegs(legs, scoring, globalRanks);
    });
    normalized.set(key, made);
    return made;
  }

  return {
    queries: queries.length,
    legs: first?.retrieved.values().next().value?.length ?? 0,
    computed: () => known.size,
    values(settings) {
      const key = JSON.stringify(settings);
      const found = known.get(key);
      if (found) return found;
      const legs = prepared(settings);
      const values = Float64Array.from(queries, ({ grades }, index) => {
        const hits = combineLegs(legs[index] as NormalizedLegs, settings.combination, settings.weights, size);
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
