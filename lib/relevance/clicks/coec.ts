import type { Judgment } from "../judgments/judgments.ts";

/** How often a document was shown at a rank for a query, and how often it was clicked there. */
export interface Shown {
  query: string;
  document: string;
  /** From 1. */
  rank: number;
  impressions: number;
  /** At most one click for an impression counts. */
  clicks: number;
}

/** A judgment from clicks with what it rests on. */
export interface ClickJudgment extends Judgment {
  impressions: number;
  clicks: number;
  /** The clicks of an average document that is shown as often at the same ranks. */
  expected: number;
}

/**
 * Returns judgments from clicks: the grade of a document for a query is its clicks over expected clicks (COEC). The
 * expected clicks are the sum, over its impressions, of the click-through rate of their ranks among all queries; so 1 is
 * a document that is clicked as often as others at its ranks. Pairs with fewer impressions than the minimum, or none
 * expected, are left out. Best first by query. Source: Zhang and Jones, "Comparing click logs and editorial labels for
 * training query rewriting", WWW 2007 workshop on query log analysis.
 */
export function clicksOverExpected(rows: readonly Shown[], minImpressions: number): ClickJudgment[] {
  const ranks = new Map<number, { impressions: number; clicks: number }>();
  for (const { rank, impressions, clicks } of rows) {
    const sum = ranks.get(rank) ?? { impressions: 0, clicks: 0 };
    ranks.set(rank, { impressions: sum.impressions + impressions, clicks: sum.clicks + clicks });
  }
  const pairs = new Map<string, ClickJudgment>();
  for (const { query, document, rank, impressions, clicks } of rows) {
    const key = JSON.stringify([query, document]);
    const pair = pairs.get(key) ?? { query, document, grade: 0, impressions: 0, clicks: 0, expected: 0 };
    const all = ranks.get(rank);
    pair.impressions += impressions;
    pair.clicks += clicks;
    pair.expected += all ? (impressions * all.clicks) / all.impressions : 0;
    pairs.set(key, pair);
  }
  return [...pairs.values()]
    .filter(({ impressions, expected }) => impressions >= minImpressions && expected > 0)
    .map((pair) => ({ ...pair, grade: Math.round((1_000 * pair.clicks) / pair.expected) / 1_000 }))
    .sort((a, b) => compare(a.query, b.query) || b.grade - a.grade || compare(a.document, b.document));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
