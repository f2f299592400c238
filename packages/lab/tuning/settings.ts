import {
  COMBINATION_FACTS,
  COMBINATIONS,
  type Combination,
  HYBRID_DEFAULTS,
  type Normalization,
  type Techniques,
} from "@relevance/lib/platform/contract/search.ts";
import type { FusionSettings } from "@relevance/lib/search/fusion/fuse.ts";

/** Settings that tuning tries. */
export interface TunedSettings extends FusionSettings {
  /** Hits of each subquery on each shard. */
  candidates: number;
  /** `k` of the knn queries; null as the template has it. */
  k: number | null;
}

/** A pair of techniques that the cluster accepts. */
export interface Technique extends Techniques {
  /** Whether weights have an effect. */
  weighted: boolean;
}

/** Capabilities of the cluster. */
export interface TechniqueSupport {
  rrf: boolean;
  weightedRrf: boolean;
  zScore: boolean;
}

/** Returns the techniques that a cluster has, the default first. */
export function techniquesOf({ rrf, weightedRrf, zScore }: TechniqueSupport): Technique[] {
  const has: Readonly<Record<Normalization | Combination, boolean>> = {
    ...{ min_max: true, l2: true, z_score: zScore },
    ...{ arithmetic_mean: true, geometric_mean: true, harmonic_mean: true, rrf },
  };
  return COMBINATIONS.filter((combination) => has[combination]).flatMap((combination): Technique[] => {
    const { of, normalizations } = COMBINATION_FACTS[combination];
    // Beside a combination of ranks, all normalizations are the same.
    if (of === "ranks") {
      return [{ normalization: HYBRID_DEFAULTS.normalization, combination, weighted: weightedRrf }];
    }
    return normalizations
      .filter((normalization) => has[normalization])
      .map((normalization) => ({ normalization, combination, weighted: true }));
  });
}

/** Returns all weights of `subqueries` subqueries that are multiples of 1 / `steps` and sum to 1. */
export function weightGrid(subqueries: number, steps: number): number[][] {
  const grid = (left: number, count: number): number[][] =>
    count === 1
      ? [[left]]
      : Array.from({ length: left + 1 }, (_, own) => grid(left - own, count - 1).map((rest) => [own, ...rest])).flat();
  return grid(steps, subqueries).map((parts) => parts.map((part) => rounded(part / steps)));
}

/**
 * Returns the weights, all in hundredths, that move `step` from one subquery to another, in all ways that leave each in [0,
 * 1].
 */
export function neighbours(weights: readonly number[], step: number): number[][] {
  return weights.flatMap((given, from) =>
    weights.flatMap((taken, to) => {
      if (from === to || given < step - 1e-9 || taken > 1 - step + 1e-9) return [];
      const moved = [...weights];
      moved[from] = rounded(given - step);
      moved[to] = rounded(taken + step);
      return [moved];
    }),
  );
}

/** Returns weights as hundredths that sum to exactly 1 in files; null stands for equal weights. */
export function inHundredths(weights: readonly number[] | null, subqueries: number): number[] {
  const given = weights ?? new Array<number>(subqueries).fill(1 / subqueries);
  const cut = given.map((weight) => Math.floor(weight * 100 + 1e-6));
  const missing = 100 - cut.reduce((sum, part) => sum + part, 0);
  return cut.map((part, subquery) => (part + (subquery < missing ? 1 : 0)) / 100);
}

const rounded = (weight: number): number => Number(weight.toFixed(2));
