import * as fc from "fast-check";

/** The values of each dimension. The first is the usual one: the name of a case has only what differs from it. */
export type Dimensions = Readonly<Record<string, readonly string[]>>;

/** One value of each dimension. */
export type Row<D extends Dimensions> = { readonly [K in keyof D]: D[K][number] };

/** A combination that makes no case, and why. */
export interface Constraint<D extends Dimensions> {
  reason: string;
  /** Returns whether a row has it. Dimensions that are still open are undefined. */
  excludes: (row: Partial<Row<D>>) => boolean;
}

interface Value {
  dimension: string;
  value: string;
}

/** Rows that are built for each uncovered pair, of which the best one is kept. */
const TRIES = 6;

/**
 * Returns rows in which every pair of values occurs that the constraints allow, or the first ones of them, those with the
 * most new pairs first.
 * Greedy: it starts each row with an uncovered pair, and gives each further dimension the value with the most new pairs.
 *
 * covertable 2.5.2 does the same without constraints. With them it takes all pairs of a rejected row for covered: of the
 * searches it made 16 rows, with half of the pairs.
 */
export function allPairs<D extends Dimensions>(
  dimensions: D,
  constraints: readonly Constraint<D>[],
  { seed, most = Number.POSITIVE_INFINITY }: { seed: number; most?: number },
): Row<D>[] {
  const next = randomNumbers(seed);
  const names = Object.keys(dimensions);
  const isCovered = new Set<string>();
  const keyOf = (one: Value, other: Value) =>
    names.indexOf(one.dimension) < names.indexOf(other.dimension)
      ? `${one.dimension}=${one.value} ${other.dimension}=${other.value}`
      : `${other.dimension}=${other.value} ${one.dimension}=${one.value}`;
  const newPairs = (row: ReadonlyMap<string, string>, added: Value) =>
    [...row].filter(([dimension, value]) => !isCovered.has(keyOf({ dimension, value }, added))).length;

  /** Returns a whole row with these values; undefined where the choices so far leave no value for a dimension. */
  const complete = (start: readonly Value[]): Map<string, string> | undefined => {
    const row = new Map(start.map(({ dimension, value }) => [dimension, value]));
    if (!allows(constraints, row)) return undefined;
    for (const dimension of shuffled(names, next)) {
      if (row.has(dimension)) continue;
      let best: { value: string; pairs: number } | undefined;
      for (const value of shuffled(dimensions[dimension] ?? [], next)) {
        const pairs = newPairs(row, { dimension, value });
        if (best !== undefined && pairs <= best.pairs) continue;
        if (allows(constraints, new Map(row).set(dimension, value))) best = { value, pairs };
      }
      if (!best) return undefined;
      row.set(dimension, best.value);
    }
    return row;
  };

  const rows: Row<D>[] = [];
  for (const pair of shuffled(pairsOf(dimensions), next)) {
    if (rows.length >= most) break;
    if (isCovered.has(keyOf(...pair))) continue;
    const built = Array.from({ length: TRIES }, () => complete(pair)).filter((row) => row !== undefined);
    const [row] = built
      .map((one) => ({ one, keys: pairKeys(one, keyOf).filter((key) => !isCovered.has(key)) }))
      .sort((a, b) => b.keys.length - a.keys.length);
    if (!row) continue;
    for (const key of row.keys) isCovered.add(key);
    rows.push(Object.fromEntries(names.map((name) => [name, row.one.get(name)])) as Row<D>);
  }
  return rows;
}

/** Returns rows whose values are drawn one by one: each has some of the sets of three values. */
export function someTriples<D extends Dimensions>(
  dimensions: D,
  constraints: readonly Constraint<D>[],
  { seed, count }: { seed: number; count: number },
): Row<D>[] {
  const values = Object.entries(dimensions).map(([name, list]) => [name, fc.constantFrom(...list)] as const);
  const rows = fc.record(Object.fromEntries(values)) as unknown as fc.Arbitrary<Row<D>>;
  return fc.sample(
    rows.filter((row) => constraints.every(({ excludes }) => !excludes(row))),
    { seed, numRuns: count },
  );
}

function allows<D extends Dimensions>(
  constraints: readonly Constraint<D>[],
  row: ReadonlyMap<string, string>,
): boolean {
  const partial = Object.fromEntries(row) as Partial<Row<D>>;
  return constraints.every(({ excludes }) => !excludes(partial));
}

function pairsOf(dimensions: Dimensions): Array<[Value, Value]> {
  const values = Object.entries(dimensions).flatMap(([dimension, list]) => list.map((value) => ({ dimension, value })));
  return values.flatMap((one, at) =>
    values
      .slice(at + 1)
      .flatMap((other): Array<[Value, Value]> => (one.dimension === other.dimension ? [] : [[one, other]])),
  );
}

const pairKeys = (row: ReadonlyMap<string, string>, keyOf: (one: Value, other: Value) => string): string[] => {
  const values = [...row].map(([dimension, value]) => ({ dimension, value }));
  return values.flatMap((one, at) => values.slice(at + 1).map((other) => keyOf(one, other)));
};

/** Returns how many sets of `size` values occur in the rows. */
export function covered(rows: ReadonlyArray<Readonly<Record<string, string>>>, size: 2 | 3): number {
  const found = new Set<string>();
  for (const row of rows) {
    const values = Object.entries(row).map(([name, value]) => `${name}=${value}`);
    for (const [i, one] of values.entries()) {
      for (const [j, two] of values.entries()) {
        if (j <= i) continue;
        if (size === 2) found.add(`${one} ${two}`);
        else for (const three of values.slice(j + 1)) found.add(`${one} ${two} ${three}`);
      }
    }
  }
  return found.size;
}

/** Returns the name of a case: what differs from the usual values. */
export const nameOf = (dimensions: Dimensions, row: Readonly<Record<string, string>>): string =>
  Object.entries(row)
    .filter(([name, value]) => value !== dimensions[name]?.[0])
    .map(([name, value]) => `${name}=${value}`)
    .join(" ") || "usual";

/** Returns the case of a name, as `PAIRS_CASE` has it. */
export function rowOf<D extends Dimensions>(dimensions: D, name: string): Row<D> {
  const row = Object.fromEntries(Object.entries(dimensions).map(([dimension, [first = ""]]) => [dimension, first]));
  for (const part of name === "usual" ? [] : name.trim().split(/\s+/)) {
    const [dimension = "", value = ""] = part.split("=");
    if (!dimensions[dimension]?.includes(value)) throw new Error(`${part} is not a value of a dimension`);
    row[dimension] = value;
  }
  return row as Row<D>;
}

/** Returns numbers from 0 to 1 that the seed determines (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffled<T>(list: readonly T[], next: () => number): T[] {
  const keyed = list.map((item) => ({ item, at: next() }));
  return keyed.sort((a, b) => a.at - b.at).map(({ item }) => item);
}
