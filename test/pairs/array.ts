import covertable from "covertable";
import * as fc from "fast-check";

/** The values of each dimension. The first is the usual one: a case names only what differs from it. */
export type Dimensions = Readonly<Record<string, readonly string[]>>;

/** One value of each dimension. */
export type Row<D extends Dimensions> = { readonly [K in keyof D]: D[K][number] };

/** A combination that makes no case, and why. */
export interface Constraint<D extends Dimensions> {
  reason: string;
  /** Returns whether a row has it. Dimensions that are still open have no value. */
  excludes: (row: Partial<Row<D>>) => boolean;
}

/** Returns rows in which every pair of values occurs that no constraint excludes. Early rows have the most new pairs. */
export function allPairs<D extends Dimensions>(
  dimensions: D,
  constraints: readonly Constraint<D>[],
  seed: number,
): Row<D>[] {
  return covertable.make(dimensions as unknown as Record<string, string[]>, {
    seed,
    // The greedy criterion saves one row in twenty, and takes fifteen times as long.
    criterion: covertable.criteria.simple,
    preFilter: (row: unknown) => allows(constraints, row as Partial<Row<D>>),
  }) as Row<D>[];
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
    rows.filter((row) => allows(constraints, row)),
    { seed, numRuns: count },
  );
}

const allows = <D extends Dimensions>(constraints: readonly Constraint<D>[], row: Partial<Row<D>>): boolean =>
  constraints.every(({ excludes }) => !excludes(row));

/** Returns how many of the sets of `size` values occur in the rows. */
export function covered(rows: readonly Row<Dimensions>[], size: 2 | 3): number {
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
export const nameOf = <D extends Dimensions>(dimensions: D, row: Row<D>): string =>
  Object.entries(row)
    .filter(([name, value]) => value !== dimensions[name]?.[0])
    .map(([name, value]) => `${name}=${value}`)
    .join(" ") || "usual";

/** Returns the case of a name, as `PAIRS_CASE` has it. */
export function rowOf<D extends Dimensions>(dimensions: D, name: string): Row<D> {
  const usual = Object.fromEntries(Object.entries(dimensions).map(([dimension, [first = ""]]) => [dimension, first]));
  for (const part of name === "usual" ? [] : name.trim().split(/\s+/)) {
    const [dimension = "", value = ""] = part.split("=");
    if (!dimensions[dimension]?.includes(value)) throw new Error(`${part} is not a value of a dimension`);
    usual[dimension] = value;
  }
  return usual as Row<D>;
}
