import { seeded } from "@relevance/lib/platform/statistics/random.ts";

/** Seeded random numbers: the same seed gives the same data on every machine. */
export interface Random {
  /** Returns a uniform number from [0, 1). */
  next(): number;
  /** Returns a uniform integer from [low, high]. */
  between(low: number, high: number): number;
  pick<T>(values: readonly T[]): T;
  /** Returns `count` different values in random order. */
  sample<T>(values: readonly T[], count: number): T[];
  /** Returns a number from the standard normal distribution. */
  normal(): number;
}

/** Creates a generator of 32 bits of state, which is good enough for demo data. */
export function random(seed: number): Random {
  const next = seeded(seed);
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  const pick = <T>(values: readonly T[]): T => {
    const value = values[between(0, values.length - 1)];
    if (value === undefined) throw new RangeError("nothing to pick from");
    return value;
  };
  const sample = <T>(values: readonly T[], count: number): T[] => {
    const pool = [...values];
    return Array.from({ length: Math.min(count, pool.length) }, () =>
      pool.splice(between(0, pool.length - 1), 1),
    ).flat();
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return { next, between, pick, sample, normal };
}
