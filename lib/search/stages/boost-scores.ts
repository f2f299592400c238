import {
  BOOST_DEFAULTS,
  type BoostSettings,
  distanceOf,
  type FactorSettings,
  originOf,
  placeOf,
} from "../../settings/boost.ts";

/** Values of a document in a field, as `docvalue_fields` returns them. */
export type FieldValues = readonly unknown[];

/** Mean radius of the earth in meters, as OpenSearch computes with. */
const EARTH = 6_371_008.7714;

/** The time of a search is rounded to such a part of the scale, so that all pages of a list have the same order. */
const STEPS = 100;

/** Score of a hit and what it is made of. */
export interface BoostedHit {
  /** Place before, from 0. */
  at: number;
  score: number;
  /** Its score as a part of the best one. */
  relevance: number;
  /** The factors in the order of the settings. */
  factors: readonly number[];
}

/**
 * Returns hits by their boosted scores, the best first; equal ones stay in their order. `scores` are those of the list
 * in its order: if a stage before has reordered it, a hit has the score of its place.
 */
export function boosted(
  { mode = BOOST_DEFAULTS.mode, factors = [] }: BoostSettings,
  { scores, values, now }: { scores: readonly number[]; values: ReadonlyArray<readonly FieldValues[]>; now: number },
): BoostedHit[] {
  const sorted = Float64Array.from(scores).sort().reverse();
  const [best = 0] = sorted;
  const computed = factors.map((factor) => ({
    of: factorOf(factor, now),
    weight: factor.weight ?? BOOST_DEFAULTS.weight,
  }));
  const hits = values.map((fields, at): BoostedHit => {
    const relevance = best > 0 ? (sorted[at] as number) / best : 1;
    const own = computed.map(({ of }, field) => of(fields[field] ?? []));
    const score = computed.reduce((sum, { weight }, index) => {
      const by = weight * (own[index] as number);
      return mode === "sum" ? sum + by : sum * (1 + by);
    }, relevance);
    return { at, score, relevance, factors: own };
  });
  return hits.sort((a, b) => b.score - a.score || a.at - b.at);
}

/** Returns the function from the values of a document to its factor: the highest of its values. */
export function factorOf(factor: FactorSettings, now: number): (values: FieldValues) => number {
  const of = valueFactor(factor, now);
  return (values) => {
    let highest: number | undefined;
    for (const value of values) {
      const one = of(value);
      if (one !== undefined && !(highest !== undefined && highest >= one)) highest = one;
    }
    return highest ?? factor.missing ?? BOOST_DEFAULTS.missing;
  };
}

/** Returns the function from one value to its factor; undefined for a value that has none. */
function valueFactor({ decay, number, values }: FactorSettings, now: number): (value: unknown) => number | undefined {
  if (decay) return decayOf(decay, now);
  if (number) {
    const { cap } = number;
    const sizes = {
      log1p: (size: number) => Math.log1p(Math.min(Math.max(size, 0), cap)) / Math.log1p(cap),
      sqrt: (size: number) => Math.sqrt(Math.min(Math.max(size, 0), cap) / cap),
      reciprocal: (size: number) => (size <= cap ? 1 : cap / size),
    };
    return ofNumber(sizes[number.function]);
  }
  const table = new Map(Object.entries(values ?? {}));
  return (value) => table.get(String(value));
}

const ofNumber = (of: (number: number) => number) => (value: unknown) => {
  const number = typeof value === "boolean" ? Number.NaN : Number(value);
  return Number.isNaN(number) ? undefined : of(number);
};

/** Returns the formulas of OpenSearch's function_score. Source: its documentation, decay functions. */
function decayOf(decay: NonNullable<FactorSettings["decay"]>, now: number): (value: unknown) => number | undefined {
  const origin = originOf(decay.origin);
  if (!origin) throw new TypeError(`no origin: ${decay.origin}`);
  const scale = distanceOf(decay.scale, origin.kind) as number;
  const offset = distanceOf(decay.offset ?? 0, decay.offset === undefined ? "number" : origin.kind) as number;
  const reached = decay.decay ?? BOOST_DEFAULTS.decay;
  const curves = {
    gauss: (distance: number) => Math.exp((Math.log(reached) * distance ** 2) / scale ** 2),
    exp: (distance: number) => Math.exp((Math.log(reached) * distance) / scale),
    linear: (distance: number) => Math.max(0, 1 - ((1 - reached) * distance) / scale),
  };
  const curve = (distance: number) => curves[decay.curve ?? BOOST_DEFAULTS.curve](Math.max(0, distance - offset));
  if (origin.kind === "place") {
    return (value) => {
      const place = placeOf(String(value));
      return place && curve(arc(place, origin.at));
    };
  }
  const step = scale / STEPS;
  const at = origin.at ?? Math.floor(now / step) * step;
  return ofNumber((number) => curve(Math.abs(number - at)));
}

/** Returns the distance of two places in meters by the haversine formula. */
function arc(one: { lat: number; lon: number }, other: { lat: number; lon: number }): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const half = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2;
  const across = Math.cos(radians(one.lat)) * Math.cos(radians(other.lat)) * half(one.lon - other.lon);
  return 2 * EARTH * Math.asin(Math.min(1, Math.sqrt(half(one.lat - other.lat) + across)));
}
