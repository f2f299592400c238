import type { SubqueryHits } from "@relevance/lib/search/fusion/techniques.ts";
import { capabilitiesOf } from "@relevance/lib/search/opensearch/capabilities-of.ts";
import type { CandidatesAnswer } from "../../clients/typescript/src/types.ts";

/** The hits of all subqueries of one search. */
export interface Candidates {
  subqueries: SubqueryHits[];
  version: string;
  /** Whether reciprocal ranks count over all shards. */
  globalRanks: boolean;
}

/** Reads an answer of `/application/hybrid-search/candidates`. */
export function candidatesIn({ subqueries, opensearch_version: version }: CandidatesAnswer): Candidates {
  return {
    // The cluster prints a float32 with as few digits as tell it apart from its neighbours.
    subqueries: subqueries.map(({ shards }) =>
      shards.map(({ hits }) =>
        hits.map(({ _id, _score, _doc }) => ({ id: _id, score: Math.fround(_score), doc: _doc })),
      ),
    ),
    version,
    globalRanks: capabilitiesOf(version).weightedRrf,
  };
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
