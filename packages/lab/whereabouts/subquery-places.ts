import type { SubqueryHits } from "@relevance/lib/search/fusion/techniques.ts";

/** The hits of all subqueries of one search. */
export interface Candidates {
  subqueries: SubqueryHits[];
  version: string;
  /** Whether reciprocal ranks count over all shards. */
  globalRanks: boolean;
}

/** Where a document stood in one subquery; null if it is not among the subquery's candidates. */
export interface SubqueryPlace {
  /** From 1. Documents of equal score share the first one's rank. */
  rank: number;
  /** Whether another document of the subquery has the same score. */
  isTied: boolean;
  score: number;
}

/** Formats a rank, with `=` before one that several documents share. */
export const shownRank = ({ rank, isTied }: SubqueryPlace): string => `${isTied ? "=" : ""}${rank}`;

/** Returns the places of every document in each subquery, by its id. */
export function placesOf({ subqueries }: Pick<Candidates, "subqueries">): Map<string, (SubqueryPlace | null)[]> {
  const places = new Map<string, (SubqueryPlace | null)[]>();
  for (const [subquery, shards] of subqueries.entries()) {
    const hits = shards.flat().sort((a, b) => b.score - a.score);
    let rank = 1;
    for (const [index, { id, score }] of hits.entries()) {
      const own = places.get(id) ?? subqueries.map(() => null);
      if (hits[index - 1]?.score !== score) rank = index + 1;
      const isTied = [index - 1, index + 1].some((other) => hits[other]?.score === score);
      own[subquery] = { rank, isTied, score };
      places.set(id, own);
    }
  }
  return places;
}
