import { alphaOf, LEAST_QUERIES, measured, type Unit, WEIGHTED_KAPPA } from "./agreement-measures.ts";
import { type Judgment, voiceOf } from "./judgments.ts";

/** A document that raters graded differently for a query. */
export interface Disagreement {
  query: string;
  document: string;
  /** The grade of each rater by name. */
  grades: Readonly<Record<string, number>>;
  /** The decision; undefined while it is open. */
  adjudicated: { by: string; grade: number } | undefined;
}

/** How far raters agree. */
export interface Agreement {
  /** How many documents each graded, by name. */
  raters: Readonly<Record<string, number>>;
  /** Documents with the grades of two raters or more, and their queries. */
  shared: { documents: number; queries: number };
  /** Two raters are compared by weighted kappa, more by alpha. */
  measure: "weighted kappa" | "Krippendorff's alpha";
  /** Undefined if nobody shares a document, or everybody gave everything one grade. */
  value: number | undefined;
  /** Undefined with too few queries. */
  interval: { low: number; high: number } | undefined;
  /** The widest first; the open ones before the others. */
  disagreements: Disagreement[];
}

interface Pair {
  query: string;
  document: string;
  grades: Map<string, number>;
  adjudicated: Disagreement["adjudicated"];
}

/** The latest measurement: its interval takes thousands of resamples, and a decision changes none of the grades. */
let latest: { of: string; found: ReturnType<typeof measured> } | undefined;

function measuredOnce(names: readonly string[], byQuery: Unit[][]): ReturnType<typeof measured> {
  const of = JSON.stringify([names.length, byQuery]);
  if (latest?.of !== of) {
    const known = [...new Set(byQuery.flat(2))].sort((a, b) => a - b);
    latest = { of, found: measured(names.length === 2 ? WEIGHTED_KAPPA : alphaOf(known), byQuery) };
  }
  return latest.found;
}

/** Returns how far the raters of judgments about one index agree; undefined with fewer than two. */
export function agreementOf(rows: readonly Judgment[]): Agreement | undefined {
  const pairs = pairsOf(rows);
  const raters = new Map<string, number>();
  for (const { grades } of pairs) for (const rater of grades.keys()) raters.set(rater, (raters.get(rater) ?? 0) + 1);
  if (raters.size < 2) return undefined;
  const names = [...raters.keys()].sort();
  const shared = pairs.filter(({ grades }) => grades.size > 1);
  const units = Map.groupBy(shared, ({ query }) => query);
  const byQuery = [...units.values()].map((own) =>
    own.map(({ grades }): Unit => names.flatMap((name) => grades.get(name) ?? [])),
  );
  return {
    raters: Object.fromEntries(names.map((name) => [name, raters.get(name) ?? 0])),
    shared: { documents: shared.length, queries: units.size },
    measure: names.length === 2 ? "weighted kappa" : "Krippendorff's alpha",
    ...measuredOnce(names, byQuery),
    disagreements: shared.flatMap(disagreementIn).sort((a, b) => rank(b) - rank(a)),
  };
}

function pairsOf(rows: readonly Judgment[]): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const row of rows) {
    const { query, document, grade, rater = "", adjudicated = "" } = row;
    const voice = voiceOf(row);
    if (voice !== "rater" && voice !== "adjudicated") continue;
    const key = JSON.stringify([query, document]);
    const pair = pairs.get(key) ?? { query, document, grades: new Map<string, number>(), adjudicated: undefined };
    if (voice === "rater") pair.grades.set(rater, grade);
    else pair.adjudicated = { by: adjudicated, grade };
    pairs.set(key, pair);
  }
  return [...pairs.values()];
}

const disagreementIn = ({ grades, ...pair }: Pair): Disagreement[] =>
  new Set(grades.values()).size > 1 ? [{ ...pair, grades: Object.fromEntries(grades) }] : [];

/** More than any difference of grades, so that open disagreements come first. */
const OPEN = 1_000_000;
const rank = ({ grades, adjudicated }: Disagreement): number =>
  Math.max(...Object.values(grades)) - Math.min(...Object.values(grades)) + (adjudicated ? 0 : OPEN);

/** Returns how far raters agree, in a sentence. */
export function agreementText({ shared, measure, value, interval }: Agreement): string {
  if (shared.documents === 0) return "No document has the grades of two raters yet.";
  const on = `${shared.documents} documents of ${shared.queries} queries that two raters or more judged`;
  if (value === undefined) return `All grades of the ${on} are the same, so agreement by chance is not defined.`;
  const within = interval
    ? ` (95 %: ${interval.low.toFixed(2)} to ${interval.high.toFixed(2)})`
    : ` (an interval needs ${LEAST_QUERIES} queries)`;
  return `${measure[0]?.toUpperCase()}${measure.slice(1)} ${value.toFixed(2)}${within}, on ${on}.`;
}
