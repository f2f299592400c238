function discounted(gains: readonly number[]): number {
  let sum = 0;
  for (const [index, gain] of gains.entries()) if (gain > 0) sum += gain / Math.log2(index + 2);
  return sum;
}

/**
 * Normalized discounted cumulative gain of a ranking (ids, best first) with the grade as gain (Järvelin and Kekäläinen 2002,
 * as trec_eval computes it). `k` cuts the ranking. 0 if no id has a grade above 0.
 */
export function ndcg(ranking: readonly string[], grades: ReadonlyMap<string, number>, k?: number): number {
  const ideal = [...grades.values()].sort((a, b) => b - a).slice(0, k);
  const best = discounted(ideal);
  if (best === 0) return 0;
  return discounted(ranking.slice(0, k).map((id) => grades.get(id) ?? 0)) / best;
}
