import type { Random } from "../statistics/random.ts";
import { type Ratio, ratioOf } from "../statistics/ratio.ts";

/** A place of an interleaved list: who is there, and which of the two lists has picked it. */
interface Pick {
  id: string;
  team: 0 | 1;
}

/**
 * Interleaves two lists by team draft (Radlinski, Kurup and Joachims, "How does clickthrough data reflect retrieval
 * quality?", CIKM 2008): the team with fewer picks, or by a coin if both have as many, picks its best that is left. Each id
 * of either list is there once. If the lists are alike, both teams have the same chance of each place.
 */
export function teamDraft(lists: readonly [readonly string[], readonly string[]], random: Random): Pick[] {
  const picked = new Set<string>();
  const picks: Pick[] = [];
  const counts = [0, 0];
  const next = [0, 0];
  const bestOf = (team: 0 | 1): string | undefined => {
    const list = lists[team];
    while (picked.has(list[next[team] as number] as string)) next[team] = (next[team] as number) + 1;
    return list[next[team] as number];
  };
  for (;;) {
    const lead = (counts[0] as number) - (counts[1] as number);
    const turn = lead < 0 || (lead === 0 && random() < 0.5) ? 0 : 1;
    const team = bestOf(turn) === undefined ? (turn === 0 ? 1 : 0) : turn;
    const id = bestOf(team);
    if (id === undefined) return picks;
    picked.add(id);
    picks.push({ id, team });
    counts[team] = (counts[team] as number) + 1;
  }
}

/** Outcome of a user's interleaved searches. */
export interface UserPreference {
  searches: number;
  /** Searches in which more hits of the second team were clicked, minus those in which more of the first were. */
  credit: number;
}

/**
 * Returns the share of searches that the second list wins minus the share that the first wins, and its standard error. It is
 * unbiased: with lists that are alike its expectation is 0, whatever users click. Searches of one user resemble one another,
 * so the variance is that between users, by the delta method.
 */
export function preferenceOf(users: readonly UserPreference[]): Ratio {
  return ratioOf(users.map(({ credit, searches }) => ({ sum: credit, count: searches })));
}
