import { COMBINATION_FACTS } from "@relevance/lib/platform/contract/search.ts";
import { type FusionSettings, fuse, normalizeSubqueries, scoringOf } from "@relevance/lib/search/fusion/fuse.ts";
import { combinerOf } from "@relevance/lib/search/fusion/techniques.ts";
import { type Candidates, placesOf, type SubqueryPlace } from "../../whereabouts/subquery-places.ts";

/** One subquery's share in a document's score. */
export interface Share {
  place: SubqueryPlace | null;
  /** After normalization; 0 if the subquery did not find the document. */
  normalized: number;
  /** Its part of all weights; with reciprocal ranks the weight itself. */
  weight: number;
  /** The subquery's share of the score; null if the combination is not a sum. */
  contribution: number | null;
}

/** How the score of a document came about. */
export interface Reason {
  shares: Share[];
  score: number;
}

/** Computes a document's score as the cluster does. Undefined if no subquery found it. */
export function explainScore(candidates: Candidates, settings: FusionSettings, id: string): Reason | undefined {
  const { subqueries, globalRanks } = candidates;
  const { weights, combination } = settings;
  const places = placesOf(candidates).get(id);
  if (!places) return undefined;
  const prepared = normalizeSubqueries(subqueries, scoringOf(settings), globalRanks);
  const document = prepared.ids.indexOf(id);
  const scores = subqueries.map((_, subquery) => prepared.scores[document * subqueries.length + subquery] ?? 0);
  const used = weights ?? subqueries.map(() => 1);
  const { of, isSum } = COMBINATION_FACTS[combination];
  const total = of === "ranks" ? 1 : used.reduce((sum, weight) => sum + weight, 0);
  const shares = places.map((place, subquery): Share => {
    const [normalized = 0, weight = 0] = [scores[subquery], used[subquery]];
    const share = total === 0 ? 0 : weight / total;
    return { place, normalized, weight: share, contribution: isSum ? normalized * share : null };
  });
  return { shares, score: combinerOf(combination, subqueries.length, weights)(scores) };
}

/** Returns the best documents under settings, as the cluster would. */
export function fused({ subqueries, globalRanks }: Candidates, settings: FusionSettings, size: number) {
  return fuse(subqueries, settings, { size, globalRanks });
}

/** Returns weights with one changed, and the others scaled so that all sum to 1, in hundredths. */
export function withWeight(weights: readonly number[], subquery: number, value: number): number[] {
  const rest = weights.reduce((sum, weight, index) => (index === subquery ? sum : sum + weight), 0);
  const left = 100 - Math.round(value * 100);
  const others = weights.map((weight, index) => {
    if (index === subquery) return 0;
    return Math.floor((rest === 0 ? 1 / (weights.length - 1) : weight / rest) * left + 1e-9);
  });
  let missing = left - others.reduce((sum, part) => sum + part, 0);
  return others.map((part, index) => {
    if (index === subquery) return Math.round(value * 100) / 100;
    const extra = missing > 0 ? 1 : 0;
    missing -= extra;
    return (part + extra) / 100;
  });
}
