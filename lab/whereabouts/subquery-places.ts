import type { LegHits } from "../../lib/search/fusion/techniques.ts";

/** The hits of all legs of one search. */
export interface Candidates {
  legs: LegHits[];
  version: string;
  /** Whether reciprocal ranks count over all shards. */
  globalRanks: boolean;
}

/** Where a document stood in one leg; null if it is not among the leg's candidates. */
export interface LegPlace {
  /** From 1. Documents of equal score share the first one's rank. */
  rank: number;
  /** Whether another document of the leg has the same score. */
  isTied: boolean;
  score: number;
}

/** Formats a rank, with `=` before one that several documents share. */
export const shownRank = ({ rank, isTied }: LegPlace): string => `${isTied ? "=" : ""}${rank}`;

/** Returns the places of every document in each leg, by its id. */
export function placesOf({ legs }: Pick<Candidates, "legs">): Map<string, (LegPlace | null)[]> {
  const places = new Map<string, (LegPlace | null)[]>();
  for (const [leg, shards] of legs.entries()) {
    const hits = shards.flat().sort((a, b) => b.score - a.score);
    let rank = 1;
    for (const [index, { id, score }] of hits.entries()) {
      const own = places.get(id) ?? legs.map(() => null);
      if (hits[index - 1]?.score !== score) rank = index + 1;
      const isTied = [index - 1, index + 1].some((other) => hits[other]?.score === score);
      own[leg] = { rank, isTied, score };
      places.set(id, own);
    }
  }
  return places;
}
