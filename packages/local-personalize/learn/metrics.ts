import { precision, reciprocalRank } from "@relevance/lab/metrics/metric.ts";
import { ndcg } from "@relevance/lib/platform/statistics/ndcg.ts";

/** Returns the ranked items for one user, best first: at least 25 if there are that many. */
export type Ranking = (user: number) => readonly number[];

const LONGEST = 25;
const MEASURES = [
  { name: "mean_reciprocal_rank", measure: reciprocalRank, cuts: [LONGEST] },
  { name: "normalized_discounted_cumulative_gain", measure: ndcg, cuts: [5, 10, LONGEST] },
  { name: "precision", measure: precision, cuts: [5, 10, LONGEST] },
].flatMap(({ name, measure, cuts }) => cuts.map((cut) => ({ name: `${name}_at_${cut}`, measure, cut })));

/**
 * Computes the offline metrics that GetSolutionMetrics returns, over all users with hidden events. A hit is a
 * recommended item among the user's hidden events. `coverage` is the share of `itemCount` that was recommended to at
 * least one user.
 */
export function metricsOf(hidden: readonly Int32Array[], itemCount: number, rank: Ranking): Record<string, number> {
  const sums = new Map(MEASURES.map(({ name }) => [name, 0]));
  const recommended = new Set<string>();
  let users = 0;
  for (const [user, events] of hidden.entries()) {
    if (events.length === 0) continue;
    users += 1;
    const grades = new Map(Array.from(events, (item) => [String(item), 1]));
    const list = rank(user).slice(0, LONGEST).map(String);
    for (const item of list) recommended.add(item);
    for (const { name, measure, cut } of MEASURES) sums.set(name, (sums.get(name) ?? 0) + measure(list, grades, cut));
  }
  const averages = Array.from(sums, ([name, sum]) => [name, rounded(sum / Math.max(users, 1))]);
  return { coverage: rounded(recommended.size / Math.max(itemCount, 1)), ...Object.fromEntries(averages) };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
