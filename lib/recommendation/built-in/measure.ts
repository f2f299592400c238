import { meanInterval } from "../../platform/statistics/bootstrap.ts";
import { ndcg } from "../../platform/statistics/ndcg.ts";
import type { Scored } from "./best.ts";
import { factorize } from "./factors.ts";
import { type Columns, columnsOf, itemsOf, usersOf, withoutNewest } from "./matrix.ts";
import { neighboursIn } from "./neighbours.ts";
import type { Prepared } from "./prepare.ts";
import type { BuiltInReport } from "./report.ts";
import { listOf, type Neighbours, SEEDS, suggest } from "./suggest.ts";

/** Length of a measured list, as in Personalize. */
const DEPTH = 25;

/**
 * Measures the engine and the most popular items as Personalize measures a campaign. Learns from all users but the test
 * users, and predicts the newest tenth of a test user's items from the others. Returns the NDCG@25 of both with 95 %
 * confidence intervals.
 */
export function measure(
  prepared: Prepared,
  byText: (item: number) => Scored[],
  factors: number,
): BuiltInReport["measured"] {
  const others = withoutNewest(prepared.matrix, (user) => (prepared.isTest[user] === 1 ? Number.POSITIVE_INFINITY : 0));
  const columns = columnsOf(others);
  const byFactors = factors > 0 ? factorize(others)(factors) : undefined;
  const builtIn = gains(prepared, builtInRanking(columns, neighboursIn(others, columns, byText, byFactors)));
  if (builtIn.length === 0) return undefined;
  const popular = byPopularity(columns);
  const popularity = gains(prepared, () => popular);
  return { users: builtIn.length, built_in: meanInterval(builtIn), popularity: meanInterval(popularity) };
}

/** Ranks items, best first, for the items of a user, latest first. */
type Ranking = (history: readonly number[], seen: ReadonlySet<number>) => Iterable<number>;

/** Returns the ranking of the API: neighbours of the user's last items, then the most popular items. */
export function builtInRanking(columns: Columns, { byUsers, ofKind }: ReturnType<typeof neighboursIn>): Ranking {
  const popular = byPopularity(columns);
  const known = new Map<number, Neighbours<number>>();
  const neighbours = (item: number) => {
    const found = known.get(item) ?? byUsers(item);
    known.set(item, found);
    return found;
  };
  return (history, seen) => {
    const seeds = history.slice(0, SEEDS);
    const found = suggest(seeds.map(neighbours), seen);
    return listOf(found.length > 0 ? found : suggest(seeds.map(ofKind), seen), popular, seen);
  };
}

/** Returns the items, most popular first. */
export function byPopularity(columns: Columns): number[] {
  const items = [...new Array(columns.startOfItem.length - 1).keys()];
  return items.sort((a, b) => usersOf(columns, b) - usersOf(columns, a) || a - b);
}

/** Returns how many of a user's items are to be predicted: the newest tenth of them, at least one. */
export const newestTenth = (items: number): number => Math.max(1, Math.round(items / 10));

/** Returns the NDCG@25 of a ranking. Counts only items that may be recommended to the user. */
export function gain(
  ranking: Iterable<number>,
  seen: Pick<ReadonlySet<number>, "has">,
  hidden: readonly number[],
): number {
  const list = new Set<number>();
  for (const item of ranking) {
    if (list.size === DEPTH) break;
    if (!seen.has(item)) list.add(item);
  }
  const grades = new Map(hidden.map((item) => [String(item), 1]));
  return ndcg([...list].map(String), grades, DEPTH);
}

/** Returns the NDCG@25 of each test user. */
export function gains({ matrix, isTest, isActive }: Prepared, rank: Ranking): number[] {
  const values: number[] = [];
  for (let user = 0; user < matrix.users; user += 1) {
    if (isTest[user] !== 1) continue;
    const history = [...itemsOf(matrix, user)];
    const hidden = history.splice(0, newestTenth(history.length));
    const seen = new Set(history);
    const left = { has: (item: number) => seen.has(item) || isActive[item] === 0 };
    values.push(gain(rank(history, seen), left, hidden));
  }
  return values;
}
