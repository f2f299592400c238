/** Grades by document for one query. A document without a grade is unjudged and counts as not relevant. */
export type Grades = ReadonlyMap<string, number>;

/** A document of this grade or more is relevant for the measures that know only relevant and not relevant. */
export const RELEVANT_GRADE = 1;

/**
 * Measures one ranking (document ids, best first, each once) against the grades of its query. `k` cuts the ranking;
 * without it the whole ranking counts. Returns a number from 0 to 1.
 */
export type Measure = (ranking: readonly string[], grades: Grades, k?: number) => number;

const isRelevant = (grades: Grades, document: string) => (grades.get(document) ?? 0) >= RELEVANT_GRADE;
const countRelevant = (ranking: readonly string[], grades: Grades) =>
  ranking.filter((document) => isRelevant(grades, document)).length;
const allRelevant = (grades: Grades) => [...grades.values()].filter((grade) => grade >= RELEVANT_GRADE).length;

function discounted(gains: readonly number[]): number {
  let sum = 0;
  for (const [index, gain] of gains.entries()) if (gain > 0) sum += gain / Math.log2(index + 2);
  return sum;
}

/**
 * Normalized discounted cumulative gain with the grade as gain (Järvelin and Kekäläinen 2002, as trec_eval computes it).
 * 0 if no document has a grade above 0.
 */
export const ndcg: Measure = (ranking, grades, k) => {
  const ideal = [...grades.values()].sort((a, b) => b - a).slice(0, k);
  const best = discounted(ideal);
  if (best === 0) return 0;
  return discounted(ranking.slice(0, k).map((document) => grades.get(document) ?? 0)) / best;
};

/** One over the rank of the first relevant document, 0 if there is none. Its mean over queries is MRR. */
export const reciprocalRank: Measure = (ranking, grades, k) => {
  const first = ranking.slice(0, k).findIndex((document) => isRelevant(grades, document));
  return first < 0 ? 0 : 1 / (first + 1);
};

/** Share of relevant documents in the first `k`. A ranking shorter than `k` misses the missing ones. */
export const precision: Measure = (ranking, grades, k) => {
  const depth = k ?? ranking.length;
  return depth === 0 ? 0 : countRelevant(ranking.slice(0, k), grades) / depth;
};

/** Share of all relevant documents that are in the first `k`; 0 if there are none. */
export const recall: Measure = (ranking, grades, k) => {
  const relevant = allRelevant(grades);
  return relevant === 0 ? 0 : countRelevant(ranking.slice(0, k), grades) / relevant;
};

/** Average precision: the mean, over all relevant documents, of the precision at the rank of each. Its mean is MAP. */
export const averagePrecision: Measure = (ranking, grades, k) => {
  let found = 0;
  let sum = 0;
  for (const [index, document] of ranking.slice(0, k).entries()) {
    if (!isRelevant(grades, document)) continue;
    found += 1;
    sum += found / (index + 1);
  }
  const relevant = allRelevant(grades);
  return relevant === 0 ? 0 : sum / relevant;
};

/** Share of the first `k` hits that have a grade, of those that exist; 0 without hits. */
export const judgedShare: Measure = (ranking, grades, k) => {
  const hits = ranking.slice(0, k);
  return hits.length === 0 ? 0 : hits.filter((document) => grades.has(document)).length / hits.length;
};

/** 1 if the ranking has no hits, else 0. Its mean is the share of queries without hits. */
export const zeroHits: Measure = (ranking) => (ranking.length === 0 ? 1 : 0);
