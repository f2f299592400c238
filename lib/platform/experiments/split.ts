import { chiSquaredTail } from "../statistics/distributions.ts";

/** Returns the chance of counts that are as far from their shares as these, or farther; 1 without any. */
export function splitProbability(groups: readonly { count: number; share: number }[]): number {
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return 1;
  const shares = groups.reduce((sum, { share }) => sum + share, 0);
  const distance = groups.reduce((sum, { count, share }) => {
    const expected = (total * share) / shares;
    return sum + (count - expected) ** 2 / expected;
  }, 0);
  return chiSquaredTail(distance, groups.length - 1);
}
