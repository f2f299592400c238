import { affinities, type ItemFeatures } from "./item-features.ts";
import { pacer } from "./pace.ts";
import { eventsOf, itemCounts, type TrainingSet } from "./training-set.ts";

/** The related items of each item, best first. */
export interface CoOccurrence {
  related: readonly Int32Array[];
}

export interface CoOccurrenceOptions {
  /** Exponent of both items' popularity, by which the count of common users is divided. 0 means no discount. */
  popularityDiscount: number;
  /** Pairs with fewer common users are ignored. */
  leastTogether: number;
  /** If given, items with similar categories are related too, including items without any interaction. */
  features?: ItemFeatures;
}

/** The longest history used per user. A longer one adds little, and the cost grows with its square. */
const LONGEST_HISTORY = 200;
/** The most results that a request to the runtime can ask for. */
const MOST_RELATED = 500;
const FEATURE_WEIGHT = 0.3;

/** Counts which items occur together in users' histories. Yields regularly to other work of the process. */
export async function trainCoOccurrence(set: TrainingSet, options: CoOccurrenceOptions): Promise<CoOccurrence> {
  const pace = pacer();
  const together: Map<number, number>[] = set.items.map(() => new Map());
  for (let user = 0; user < set.users.length; user += 1) {
    const history = [...new Set(eventsOf(set, user).toReversed())].slice(0, LONGEST_HISTORY);
    for (const item of history) count(together[item], history, item);
    const pause = pace();
    if (pause) await pause;
  }
  const counts = itemCounts(set);
  const related: Int32Array[] = [];
  for (const [item, row] of together.entries()) {
    related.push(relatedTo(item, row, counts, options));
    const pause = pace();
    if (pause) await pause;
  }
  return { related };
}

function count(row: Map<number, number> | undefined, history: readonly number[], item: number): void {
  if (!row) return;
  for (const other of history) if (other !== item) row.set(other, (row.get(other) ?? 0) + 1);
}

function relatedTo(
  item: number,
  row: ReadonlyMap<number, number>,
  counts: Float64Array,
  { popularityDiscount, leastTogether, features }: CoOccurrenceOptions,
): Int32Array {
  const own = Math.max(counts[item] ?? 0, 1) ** popularityDiscount;
  const scores = new Map<number, number>();
  for (const [other, users] of row) {
    if (users < leastTogether) continue;
    scores.set(other, users / (own * Math.max(counts[other] ?? 0, 1) ** popularityDiscount));
  }
  if (features) {
    affinities(features, [{ item, weight: 1 }]).forEach((score, other) => {
      if (other !== item && score > 0) scores.set(other, (scores.get(other) ?? 0) + FEATURE_WEIGHT * score);
    });
  }
  const order = [...scores].sort(
    ([a, scoreA], [b, scoreB]) => scoreB - scoreA || (counts[b] ?? 0) - (counts[a] ?? 0) || a - b,
  );
  return Int32Array.from(order.slice(0, MOST_RELATED), ([other]) => other);
}
