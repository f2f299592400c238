import { boosted, type FieldValues } from "@relevance/lib/search/stages/boost-scores.ts";
import { BOOST_DEFAULTS, type BoostSettings, type FactorSettings } from "@relevance/lib/settings/boost.ts";
import type { Grades, Metric } from "../metrics/metric.ts";
import { crossValidated, type Measured, meanOver, type Tuning, type TuningOptions } from "./tune.ts";

/** A judged query with its list before the boost. */
export interface BoostQuery {
  grades: Grades;
  /** The hits in the order of the list; `values` are by field. */
  hits: ReadonlyArray<{ id: string; score: number; values: Readonly<Record<string, FieldValues>> }>;
  /** How many of them the boost orders. */
  window: number;
}

/** Weights that tuning tries for each factor; 0 leaves it out. */
const WEIGHTS = [0, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

/** Multiples of the configured scale, or of the cap of a number, that tuning tries. */
const SCALES = [0.25, 0.5, 1, 2, 4];

/** Computes the metric of queries under boosts, without another search. */
export function boostCollection(queries: readonly BoostQuery[], metric: Metric, now: number): Measured<BoostSettings> {
  const sign = metric.higherIsBetter ? 1 : -1;
  const known = new Map<string, Float64Array>();
  const measure = (settings: BoostSettings, { grades, hits, window }: BoostQuery) => {
    const head = hits.slice(0, window);
    const list = {
      scores: head.map(({ score }) => score),
      values: head.map(({ values }) => (settings.factors ?? []).map(({ field }) => values[field] ?? [])),
      now,
    };
    const order = [...boosted(settings, list).map(({ at }) => at), ...[...hits.keys()].slice(window)];
    return (
      sign *
      metric.of(
        order.map((at) => hits[at]?.id ?? ""),
        grades,
      )
    );
  };
  return {
    queries: queries.length,
    computed: () => known.size,
    values(settings) {
      const key = JSON.stringify(settings);
      const values = known.get(key) ?? Float64Array.from(queries, (query) => measure(settings, query));
      known.set(key, values);
      return values;
    },
  };
}

/**
 * Proposes weight and scale of each factor of a boost, one factor after the other. `current` is the boost in use, which
 * stays unless another is better.
 */
export function tuneBoost(
  collection: Measured<BoostSettings>,
  { current, proposed }: { current: BoostSettings; proposed: BoostSettings },
  options: TuningOptions = {},
): Tuning<BoostSettings> {
  const { factors = [] } = proposed;
  return crossValidated(collection, current, choose, options);

  function choose(queries: readonly number[]): BoostSettings {
    let best = current;
    let highest = meanOver(collection.values(best), queries);
    const reached: FactorSettings[] = factors.map((factor) => ({ ...factor, weight: 0 }));
    for (const [at, factor] of factors.entries()) {
      let kept = reached[at] as FactorSettings;
      for (const scale of SCALES) {
        for (const weight of WEIGHTS) {
          const tried = { ...scaled(factor, scale), weight };
          const settings = { ...proposed, factors: reached.with(at, tried) };
          const value = meanOver(collection.values(settings), queries);
          if (value <= highest + 1e-12) continue;
          [best, highest, kept] = [settings, value, tried];
        }
      }
      reached[at] = kept;
    }
    return best;
  }
}

/** Returns a factor with a multiple of its scale or cap; a table has neither. */
function scaled(factor: FactorSettings, by: number): FactorSettings {
  const { decay, number } = factor;
  if (decay) return { ...factor, decay: { ...decay, scale: times(decay.scale, by) } };
  return number ? { ...factor, number: { ...number, cap: number.cap * by } } : factor;
}

/** Returns a multiple of a number, or of a text such as `30d`. */
function times(scale: number | string, by: number): number | string {
  if (typeof scale === "number") return scale * by;
  const [, count, unit] = /^(\d+(?:\.\d+)?)([a-z]+)$/.exec(scale) ?? [];
  return `${Number((Number(count) * by).toFixed(6))}${unit}`;
}

/** Returns weight and scale of each factor in words. */
export const boostText = ({ mode = BOOST_DEFAULTS.mode, factors = [] }: BoostSettings): string =>
  factors.length === 0 ? "no boost" : [mode, ...factors.map(factorText)].join("; ");

const factorText = ({ field, weight = BOOST_DEFAULTS.weight, decay, number }: FactorSettings) => {
  const size = decay ? `, scale ${decay.scale}` : number ? `, cap ${number.cap}` : "";
  return `${field}: weight ${weight}${size}`;
};
