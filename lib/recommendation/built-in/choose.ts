import { simultaneousIntervals } from "../../platform/statistics/bootstrap.ts";
import { FEWEST_DIFFERENCES } from "../../platform/statistics/resampling.ts";
import type { Model } from "../etl/tasks.ts";
import type { Scored } from "./best.ts";
import { factorize } from "./factors.ts";
import { columnsOf, itemsOf, withoutNewest } from "./matrix.ts";
import { builtInRanking, gains, newestTenth } from "./measure.ts";
import { neighboursIn } from "./neighbours.ts";
import type { Prepared } from "./prepare.ts";

/** Numbers of factors to choose from, beside neighbours by common users (0), which stay unless one of these is better. */
const CHOICES = [8, 32];

/** Share of intervals that miss: 5 % on the side that decides. */
const CHOICE_ALPHA = 0.1;

/** The most users whose newest items are predicted. */
const MOST_USERS = 2_000;

/**
 * Chooses the model that predicts the newest tenth of users' items best, learned from their other items and those of all
 * users but the test users. So the test users of {@link measure} do not know the choice. Neighbours by common users stay
 * unless the interval of 90 % of the best difference, of all differences at once, is above 0.
 */
export function chooseModel(prepared: Prepared, byText: (item: number) => Scored[]): Model {
  const { matrix, isTest } = prepared;
  const sizes = Array.from({ length: matrix.users }, (_, user) =>
    isTest[user] === 1 ? 0 : itemsOf(matrix, user).length,
  );
  const candidates = [...sizes.keys()].filter((user) => (sizes[user] as number) > 1);
  const step = Math.ceil(candidates.length / MOST_USERS);
  const isJudge = new Uint8Array(matrix.users);
  for (let at = 0; at < candidates.length; at += step) isJudge[candidates[at] as number] = 1;
  const known = withoutNewest(matrix, (user) => {
    if (isTest[user] === 1) return Number.POSITIVE_INFINITY;
    return isJudge[user] === 1 ? newestTenth(sizes[user] as number) : 0;
  });
  const columns = columnsOf(known);
  const ranked = (listsOf?: ReturnType<ReturnType<typeof factorize>>) =>
    gains({ ...prepared, isTest: isJudge }, builtInRanking(columns, neighboursIn(known, columns, byText, listsOf)));
  const plain = ranked();
  if (plain.length < FEWEST_DIFFERENCES) return { factors: 0, users: plain.length };
  const factors = factorize(known);
  const intervals = simultaneousIntervals(
    CHOICES.map((count) => ranked(factors(count)).map((value, user) => value - (plain[user] as number))),
    { alpha: CHOICE_ALPHA },
  );
  const [best] = CHOICES.map((count, at) => ({ count, over: intervals[at] ?? { mean: 0, low: 0, high: 0 } })).sort(
    (a, b) => b.over.mean - a.over.mean,
  );
  if (!best) return { factors: 0, users: plain.length };
  return { factors: best.over.low > 0 ? best.count : 0, users: plain.length, over: best.over };
}
