/** Input of the campaign besides user and items: contextual metadata, and values of the filter's placeholders. */
export interface RankingInput {
  context?: Readonly<Record<string, string>>;
  filterValues?: Readonly<Record<string, string>>;
}

/**
 * Returns the item ids that the model knows and the filter lets through, in the user's order, within `timeoutMs`. Throws
 * RankingError.
 */
export type PersonalRanker = (
  userId: string,
  itemIds: readonly string[],
  timeoutMs: number,
  input?: RankingInput,
) => Promise<string[]>;

/** A personal ranking failed. The message is written for callers of the API. */
export class RankingError extends Error {
  override name = "RankingError";
}

/** A hit's place in the blended list: its index in search order, and its new score. */
export interface Blended {
  hit: number;
  score: number;
}

/**
 * Blends search order with a user's order by rank:
 * `score = (1 - w) / log2(r_search + 1) + w / log2(r_personal + 1)`, ranks from 1.
 * The discount is that of DCG (Järvelin and Kekäläinen, 2002), so the first places weigh most.
 *
 * `personalRanks[i]` is the personal rank of hit i, undefined if the model does not know the item or the filter leaves it out: such a hit ranks one
 * place below all others. Ties keep search order.
 */
export function blend(personalRanks: ReadonlyArray<number | undefined>, weight: number): Blended[] {
  const unknown = personalRanks.length + 1;
  return personalRanks
    .map((rank, hit) => ({ hit, score: score(hit + 1, rank ?? unknown, weight) }))
    .sort((a, b) => b.score - a.score || a.hit - b.hit);
}

/**
 * Returns the score of a hit below the window from its place in search order: its personal rank is one place lower. So
 * scores keep falling, and all are lower than those inside the window.
 */
export const scoreBelowWindow = (rank: number, weight: number): number => score(rank, rank + 1, weight);

const score = (searchRank: number, personalRank: number, weight: number): number =>
  (1 - weight) / Math.log2(searchRank + 1) + weight / Math.log2(personalRank + 1);
