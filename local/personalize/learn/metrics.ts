/** Returns the ranked items for one user, best first: at least 25 if there are that many. */
export type Ranking = (user: number) => readonly number[];

const CUTS = [5, 10, 25] as const;
const LONGEST = 25;

/**
 * Computes the offline metrics that GetSolutionMetrics returns, over all users with hidden events. A hit is a
 * recommended item among the user's hidden events. `coverage` is the share of `itemCount` that was recommended to at
 * least one user.
 */
export function metricsOf(hidden: readonly Int32Array[], itemCount: number, rank: Ranking): Record<string, number> {
  const sums = new Map<string, number>();
  const add = (name: string, value: number) => sums.set(name, (sums.get(name) ?? 0) + value);
  const recommended = new Set<number>();
  let users = 0;
  for (const [user, events] of hidden.entries()) {
    const wanted = new Set(events);
    if (wanted.size === 0) continue;
    users += 1;
    const list = rank(user).slice(0, LONGEST);
    for (const item of list) recommended.add(item);
    const first = list.findIndex((item) => wanted.has(item));
    add("mean_reciprocal_rank_at_25", first === -1 ? 0 : 1 / (first + 1));
    for (const cut of CUTS) {
      const top = list.slice(0, cut);
      add(`normalized_discounted_cumulative_gain_at_${cut}`, gain(top, wanted) / idealGain(Math.min(cut, wanted.size)));
      add(`precision_at_${cut}`, top.filter((item) => wanted.has(item)).length / cut);
    }
  }
  const names = [
    "mean_reciprocal_rank_at_25",
    ...CUTS.map((cut) => `normalized_discounted_cumulative_gain_at_${cut}`),
    ...CUTS.map((cut) => `precision_at_${cut}`),
  ];
  const average = names.map((name) => [name, rounded((sums.get(name) ?? 0) / Math.max(users, 1))]);
  return { coverage: rounded(recommended.size / Math.max(itemCount, 1)), ...Object.fromEntries(average) };
}

function gain(list: readonly number[], wanted: ReadonlySet<number>): number {
  return list.reduce((sum, item, index) => sum + (wanted.has(item) ? 1 / Math.log2(index + 2) : 0), 0);
}

function idealGain(hits: number): number {
  let sum = 0;
  for (let index = 0; index < hits; index += 1) sum += 1 / Math.log2(index + 2);
  return sum;
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
