import { COMBINATION_FACTS } from "../../../lib/core/contract/search.ts";
import { type FusionSettings, fuse, normalizeLegs, scoringOf } from "../../../lib/search/fusion/fuse.ts";
import { combinerOf } from "../../../lib/search/fusion/techniques.ts";
import { type Candidates, type LegPlace, placesOf } from "../../whereabouts/leg-places.ts";

/** One leg's share in a document's score. */
export interface Share {
  place: LegPlace | null;
  /** After normalization; 0 if the leg did not find the document. */
  normalized: number;
  /** Its part of all weights; with reciprocal ranks the weight itself. */
  weight: number;
  /** What the leg adds to the score; null where a mean is not a sum. */
  contribution: number | null;
}

/** How the score of a document came about. */
export interface Reason {
  shares: Share[];
  score: number;
}

/** Computes a document's score as the cluster does. Undefined if no leg found it. */
export function explainScore(candidates: Candidates, settings: FusionSettings, id: string): Reason | undefined {
  const { legs, globalRanks } = candidates;
  const { weights, combination } = settings;
  const places = placesOf(candidates).get(id);
  if (!places) return undefined;
  const prepared = normalizeLegs(legs, scoringOf(settings), globalRanks);
  const document = prepared.ids.indexOf(id);
  const scores = legs.map((_, leg) => prepared.scores[document * legs.length + leg] ?? 0);
  const used = weights ?? legs.map(() => 1);
  const { of, isSum } = COMBINATION_FACTS[combination];
  const total = of === "ranks" ? 1 : used.reduce((sum, weight) => sum + weight, 0);
  const shares = places.map((place, leg): Share => {
    const [normalized = 0, weight = 0] = [scores[leg], used[leg]];
    const share = total === 0 ? 0 : weight / total;
    return { place, normalized, weight: share, contribution: isSum ? normalized * share : null };
  });
  return { shares, score: combinerOf(combination, legs.length, weights)(scores) };
}

/** Returns the best documents under settings, as the cluster would. */
export function fused({ legs, globalRanks }: Candidates, settings: FusionSettings, size: number) {
  return fuse(legs, settings, { size, globalRanks });
}

/** Returns weights with one changed, and the others scaled so that all sum to 1, in hundredths. */
export function withWeight(weights: readonly number[], leg: number, value: number): number[] {
  const rest = weights.reduce((sum, weight, index) => (index === leg ? sum : sum + weight), 0);
  const left = 100 - Math.round(value * 100);
  const others = weights.map((weight, index) => {
    if (index === leg) return 0;
    return Math.floor((rest === 0 ? 1 / (weights.length - 1) : weight / rest) * left + 1e-9);
  });
  let missing = left - others.reduce((sum, part) => sum + part, 0);
  return others.map((part, index) => {
    if (index === leg) return Math.round(value * 100) / 100;
    const extra = missing > 0 ? 1 : 0;
    missing -= extra;
    return (part + extra) / 100;
  });
}
