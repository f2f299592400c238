/**
 * Returns the promotion of each slot of a list as its index in `percents`; undefined for a slot without one. After any
 * number of slots, each promotion has its percentage of them, rounded down or up: the quota method of Balinski and
 * Young. Computes in whole numbers, so that no share is lost to rounding.
 */
export function slotsOf(limit: number, percents: readonly number[]): (number | undefined)[] {
  const shares = [100 - percents.reduce((sum, percent) => sum + percent, 0), ...percents];
  const given = shares.map(() => 0);
  return Array.from({ length: limit }, (_, index) => {
    let best: number | undefined;
    for (const [party, share] of shares.entries()) {
      const seats = given[party] ?? 0;
      // Below its quota of the slots so far.
      if (seats * 100 >= (index + 1) * share) continue;
      if (best !== undefined && share * ((given[best] ?? 0) + 1) <= (shares[best] ?? 0) * (seats + 1)) continue;
      best = party;
    }
    if (best === undefined) throw new Error("no share has a quota: they sum to less than 100 percent");
    given[best] = (given[best] ?? 0) + 1;
    return best === 0 ? undefined : best - 1;
  });
}
