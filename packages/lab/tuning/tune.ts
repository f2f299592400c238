import { type Interval, simultaneousIntervals } from "@relevance/lib/platform/statistics/bootstrap.ts";
import { seeded, shuffled } from "@relevance/lib/platform/statistics/random.ts";
import { difference } from "@relevance/lib/platform/statistics/rounding.ts";
import type { Collection } from "./collection.ts";
import { inHundredths, neighbours, type Technique, type TunedSettings, weightGrid } from "./settings.ts";

/** Settings to try. */
export interface TuningSpace {
  /** The settings in use; compared with, and kept unless others are better. */
  current: TunedSettings;
  techniques: readonly Technique[];
  candidates: readonly number[];
  ks: readonly (number | null)[];
}

export interface TuningOptions {
  /** Parts for cross-validation. */
  folds?: number;
  seed?: number;
  resamples?: number;
}

/** The result of a tuning. */
export interface Tuning<Settings = TunedSettings> {
  /** The best settings on all queries. */
  best: Settings;
  /** Mean metric on all queries of the current settings and of the best ones. The latter is optimistic. */
  current: number;
  tuned: number;
  /**
   * Mean gain over the current settings, on queries that took no part in the choice (cross-validation), with its 95 %
   * interval.
   */
  gain: Interval;
  /** Whether the gain is more than noise: its interval lies above 0. */
  isReal: boolean;
  /** Why there is no verdict, in a sentence; `isReal` is then false. */
  doubt?: string;
  /** How many different settings were computed. */
  settings: number;
  /** How many queries it rests on. */
  queries: number;
}

/** Judged queries that a tuning needs: cross-validation in five parts needs some in each. */
export const MIN_QUERIES = 10;

/** The first grid of weights has this many steps, then the best weights are moved by ever smaller steps. */
const GRID_STEPS = 10;
const STEPS = [0.05, 0.02] as const;

/** Computes the metric of each query under any settings. */
export type Measured<Settings> = Pick<Collection, "queries" | "computed"> & {
  values(settings: Settings): Float64Array;
};

/** Finds settings by a grid of weights for each technique, then by moving weights around the best. */
export const tune = (collection: Collection, space: TuningSpace, options: TuningOptions = {}): Tuning =>
  crossValidated(collection, space.current, (queries) => bestSettings(collection, space, queries), options);

/**
 * Chooses settings on all queries. Estimates the gain by cross-validation: the settings chosen on the queries of four
 * folds are measured on the fifth.
 */
export function crossValidated<Settings>(
  collection: Measured<Settings>,
  current: Settings,
  choose: (queries: readonly number[]) => Settings,
  { folds = 5, seed = 1, resamples = 2_000 }: TuningOptions = {},
): Tuning<Settings> {
  const all = Array.from({ length: collection.queries }, (_, query) => query);
  const order = shuffled(all, seeded(seed));
  const currentValues = collection.values(current);
  const gains = new Array<number>(collection.queries);
  for (let fold = 0; fold < folds; fold += 1) {
    const held = order.filter((_, position) => position % folds === fold);
    const training = order.filter((_, position) => position % folds !== fold);
    const chosen = collection.values(choose(training));
    for (const query of held) gains[query] = difference(chosen[query] as number, currentValues[query] as number);
  }
  const best = choose(all);
  const [unwidened] = simultaneousIntervals([gains], { seed, resamples });
  const gain = widened(unwidened as Interval, Math.sqrt(1 + folds / (folds - 1)));
  return {
    best,
    current: Math.abs(meanOver(currentValues, all)),
    tuned: Math.abs(meanOver(collection.values(best), all)),
    gain,
    isReal: gain.low > 0,
    settings: collection.computed(),
    queries: collection.queries,
  };
}

/**
 * Widens an interval. The folds share most of their training queries, so that their gains vary together: Nadeau and
 * Bengio ("Inference for the Generalization Error", 2003) multiply the variance of a mean over folds by
 * 1 + folds · (held / training).
 */
const widened = ({ mean, low, high }: Interval, factor: number): Interval => ({
  mean,
  low: Math.max(-1, mean - (mean - low) * factor),
  high: Math.min(1, mean + (high - mean) * factor),
});

/** Returns the settings with the best mean over some queries; the current ones unless others are strictly better. */
export function bestSettings(collection: Collection, space: TuningSpace, queries: readonly number[]): TunedSettings {
  let best = space.current;
  let highest = meanOver(collection.values(best), queries);
  const consider = (settings: TunedSettings): boolean => {
    const value = meanOver(collection.values(settings), queries);
    if (value <= highest + 1e-12) return false;
    best = settings;
    highest = value;
    return true;
  };
  const grid = weightGrid(collection.subqueries, GRID_STEPS);
  const { candidates, k } = space.current;
  for (const { normalization, combination, weighted } of space.techniques) {
    for (const weights of [null, ...(weighted ? grid : [])]) {
      consider({ normalization, combination, weights, candidates, k });
    }
  }
  for (const other of space.candidates) for (const k of space.ks) consider({ ...best, candidates: other, k });
  const weighted = space.techniques.some(
    (one) => one.combination === best.combination && one.normalization === best.normalization && one.weighted,
  );
  if (!weighted) return best;
  for (const step of STEPS) {
    let moved = true;
    while (moved) {
      const from = inHundredths(best.weights, collection.subqueries);
      moved = neighbours(from, step)
        .map((weights) => consider({ ...best, weights }))
        .some(Boolean);
    }
  }
  return best;
}

/** Returns the mean of the values of some queries. */
export function meanOver(values: Float64Array, queries: readonly number[]): number {
  let sum = 0;
  for (const query of queries) sum += values[query] as number;
  return sum / queries.length;
}
