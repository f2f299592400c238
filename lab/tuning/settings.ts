import type { FusionSettings } from "../../lib/search/fusion/fuse.ts";
import type { Combination, Normalization } from "../../lib/search/fusion/techniques.ts";

/** Settings that tuning tries. */
export interface TunedSettings extends FusionSettings {
  /** Hits of each leg on each shard. */
  candidates: number;
  /** `k` of the knn queries; null as the template has it. */
  k: number | null;
}

/** A pair of techniques that the cluster accepts. */
export interface Technique {
  normalization: Normalization;
  combination: Combination;
  /** Whether weights have an effect. */
  weighted: boolean;
}

/** What the cluster can do. */
export interface TechniqueSupport {
  rrf: boolean;
  weightedRrf: boolean;
  zScore: boolean;
}

/** Returns the techniques that a cluster has, the default first. */
export function techniquesOf({ rrf, weightedRrf, zScore }: TechniqueSupport): Technique[] {
  const combinations = ["arithmetic_mean", "geometric_mean", "harmonic_mean"] as const;
  const pairs = (["min_max", "l2"] as const).flatMap((normalization) =>
    combinations.map((combination): Technique => ({ normalization, combination, weighted: true })),
  );
  if (zScore) pairs.push({ normalization: "z_score", combination: "arithmetic_mean", weighted: true });
  if (rrf) pairs.push({ normalization: "min_max", combination: "rrf", weighted: weightedRrf });
  return pairs;
}

/** Returns all weights of `legs` legs that are multiples of 1 / `steps` and sum to 1. */
export function weightGrid(legs: number, steps: number): number[][] {
  const grid = (left: number, count: number): number[][] =>
    count === 1
      ? [[left]]
      : Array.from({ length: left + 1 }, (_, own) => grid(left - own, count - 1).map((rest) => [own, ...rest])).flat();
  return grid(steps, legs).map((parts) => parts.map((part) => rounded(part / steps)));
}

/**
 * Returns the weights, all in hundredths, that move `step` from one leg to another, in all ways that leave each in [0,
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
export function inHundredths(weights: readonly number[] | null, legs: number): number[] {
  const given = weights ?? new Array<number>(legs).fill(1 / legs);
  const cut = given.map((weight) => Math.floor(weight * 100 + 1e-6));
  const missing = 100 - cut.reduce((sum, part) => sum + part, 0);
  return cut.map((part, leg) => (part + (leg < missing ? 1 : 0)) / 100);
}

const rounded = (weight: number): number => Number(weight.toFixed(2));
