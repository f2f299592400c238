import { allPairs, type Constraint, covered, type Dimensions, type Row, rowOf, someTriples } from "./array.ts";
import type { Result } from "./compare.ts";

/** How many cases to play: those of the array after so many others, and drawn ones. */
export interface Slice {
  pairs: number;
  after?: number;
  triples?: number;
}

/** The seed of every run; another one makes another array (`PAIRS_SEED=7 make test ARGS=pairs`). */
export const SEED = Number(process.env.PAIRS_SEED ?? 33);

/**
 * Returns the cases of a run, or the one that the environment names: `PAIRS_CASE='search form=alias sort=year'`. The
 * first word is the kind of its table.
 */
export function rowsOf<D extends Dimensions>(
  kind: "search" | "write",
  dimensions: D,
  constraints: readonly Constraint<D>[],
  { pairs, after = 0, triples = 0 }: Slice,
): Row<D>[] {
  const [first, ...rest] = (process.env.PAIRS_CASE ?? "").trim().split(/\s+/);
  if (first) return first === kind ? [rowOf(dimensions, rest.join(" "))] : [];
  return [
    ...allPairs(dimensions, constraints, { seed: SEED, most: after + pairs }).slice(after),
    ...(triples > 0 ? someTriples(dimensions, constraints, { seed: SEED, count: triples }) : []),
  ];
}

/** Describes each finding, with the command that plays its case alone. */
export function problemsOf(kind: "search" | "write", version: string, results: readonly Result[]): string[] {
  const short = (value: unknown) => JSON.stringify(value)?.slice(0, 600);
  return results.flatMap(({ name, findings }) =>
    findings.map(
      ({ what, expected, got }) =>
        `${what}\n    expected ${short(expected)}\n    got      ${short(got)}\n` +
        `    OPENSEARCH_VERSION=${version} PAIRS_SEED=${SEED} PAIRS_CASE='${kind} ${name}' make test ARGS=integration/pairs`,
    ),
  );
}

/** Counts how often each difference that is allowed was met. */
export function countsOf(results: readonly Result[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const reason of results.flatMap(({ allowed }) => allowed)) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

/** Says how much a run covered. */
export const coverageOf = (rows: ReadonlyArray<Readonly<Record<string, string>>>): string =>
  `${rows.length} cases, ${covered(rows, 2).toLocaleString("en")} pairs, ${covered(rows, 3).toLocaleString("en")} triples of values`;
