import {
  averagePrecision,
  type Grades,
  judgedShare,
  type Measure,
  ndcg,
  precision,
  recall,
  reciprocalRank,
  zeroHits,
} from "./measures.ts";

/** A measure at a depth, such as `ndcg@10`. */
export interface Metric {
  name: string;
  /** How many hits it looks at; undefined for all. */
  k: number | undefined;
  /** Whether a higher value is better. */
  higherIsBetter: boolean;
  of(ranking: readonly string[], grades: Grades): number;
}

interface Kind {
  measure: Measure;
  higherIsBetter: boolean;
}

const KINDS: Readonly<Record<string, Kind>> = {
  ndcg: { measure: ndcg, higherIsBetter: true },
  mrr: { measure: reciprocalRank, higherIsBetter: true },
  precision: { measure: precision, higherIsBetter: true },
  recall: { measure: recall, higherIsBetter: true },
  map: { measure: averagePrecision, higherIsBetter: true },
  judged: { measure: judgedShare, higherIsBetter: true },
  zero_hits: { measure: zeroHits, higherIsBetter: false },
};

/** The names of all measures. */
export const MEASURE_NAMES: readonly string[] = Object.keys(KINDS);

/** Returns the metric of a name such as `ndcg@10`, `map` or `zero_hits`; undefined if there is no such metric. */
export function metricOf(name: string): Metric | undefined {
  const [, measure = "", depth] = /^([a-z_]+)(?:@([1-9]\d{0,3}))?$/.exec(name) ?? [];
  const kind = Object.hasOwn(KINDS, measure) ? KINDS[measure] : undefined;
  if (!kind || (measure === "zero_hits" && depth !== undefined)) return undefined;
  const k = depth === undefined ? undefined : Number(depth);
  return {
    name,
    k,
    higherIsBetter: kind.higherIsBetter,
    of: (ranking, grades) => kind.measure(ranking, grades, k),
  };
}
