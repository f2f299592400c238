import { meanInterval } from "../../core/statistics/bootstrap.ts";
import { ndcg } from "../../core/statistics/ndcg.ts";
import type { Scored } from "./best.ts";
import { coOccurrence } from "./co-occurrence.ts";
import { type Columns, columnsOf, itemsOf, type Matrix, usersOf } from "./matrix.ts";
import type { Prepared } from "./prepare.ts";
import type { BuiltInReport } from "./report.ts";
import { type Neighbours, SEEDS, suggest } from "./suggest.ts";

/** The depth of a list that is measured, as Personalize does. */
const DEPTH = 25;

/**
 * Measures the engine beside the most popular items, as Personalize measures a campaign: predicts the newest tenth of the
 * items of test users from the others, having learned from all other users. NDCG@25 with intervals of 95 %.
 */
export function measure(prepared: Prepared): BuiltInReport["measured"] {
  const columns = columnsOf(prepared.matrix, prepared.isTest);
  const builtIn = gains(prepared, builtInRanking(prepared.matrix, columns));
  if (builtIn.length === 0) return undefined;
  const popular = byPopularity(columns);
  const popularity = gains(prepared, () => popular);
  return { users: builtIn.length, built_in: meanInterval(builtIn), popularity: meanInterval(popularity) };
}

/** Ranks items, best first, for what a user had to do with, latest first. */
type Ranking = (history: readonly number[], seen: ReadonlySet<number>) => readonly number[];

/** Returns how the API ranks: what the neighbours of a user's last items suggest, then the most popular items. */
export function builtInRanking(matrix: Matrix, columns: Columns): Ranking {
  const nearest = coOccurrence(matrix, columns);
  const popular = byPopularity(columns);
  const known = new Map<number, Neighbours<number>>();
  const neighbours = (item: number) => {
    const found = known.get(item) ?? listOf(nearest(item));
    known.set(item, found);
    return found;
  };
  return (history, seen) => [
    ...suggest(history.slice(0, SEEDS).map(neighbours), seen),
    ...popular.slice(0, DEPTH + seen.size),
  ];
}

/** Returns the items, most popular first. */
export function byPopularity(columns: Columns): number[] {
  const items = [...new Array(columns.startOfItem.length - 1).keys()];
  return items.sort((a, b) => usersOf(columns, b) - usersOf(columns, a) || a - b);
}

/** Returns how many of a user's items are to be predicted: the newest tenth of them, at least one. */
export const newestTenth = (items: number): number => Math.max(1, Math.round(items / 10));

/** Returns the NDCG@25 of a ranking, of which only items that the user has not seen count. */
export function gain(ranking: readonly number[], seen: ReadonlySet<number>, hidden: readonly number[]): number {
  const list = new Set<number>();
  for (const item of ranking) {
    if (list.size === DEPTH) break;
    if (!seen.has(item)) list.add(item);
  }
  const grades = new Map(hidden.map((item) => [String(item), 1]));
  return ndcg([...list].map(String), grades, DEPTH);
}

/** Returns the NDCG@25 of each test user. */
export function gains({ matrix, isTest }: Prepared, rank: Ranking): number[] {
  const values: number[] = [];
  for (let user = 0; user < matrix.users; user += 1) {
    if (isTest[user] !== 1) continue;
    const history = [...itemsOf(matrix, user)];
    const hidden = history.splice(0, newestTenth(history.length));
    const seen = new Set(history);
    values.push(gain(rank(history, seen), seen, hidden));
  }
  return values;
}

/** Returns the neighbours of an item in the form in which they are stored. */
export function listOf(scored: readonly Scored[]): { items: number[]; scores: number[] } {
  return {
    items: scored.map(({ item }) => item),
    scores: scored.map(({ score }) => Number(score.toPrecision(4))),
  };
}
