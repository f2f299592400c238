import type { Combination, Normalization } from "../../platform/contract/search.ts";
import { sum } from "../../platform/sum.ts";

/** A document that one subquery found on one shard, with the score that the cluster gave it, a float32. */
export interface ShardHit {
  id: string;
  score: number;
  /** Lucene's number of the document on its shard; undefined if the gateway does not return it. */
  doc?: number | undefined;
}

/** The hits of one subquery by shard, best first on each. All subqueries have the same shards in the same order. */
export type SubqueryHits = readonly (readonly ShardHit[])[];

const { fround } = Math;

/** The score of a hit that would normalize to 0, so that a match counts more than no match (neural-search). */
const MIN_SCORE = fround(0.001);

/** Normalizes a score; the values of a subquery never change with the weights. */
type Normalizer = (score: number) => number;

/**
 * Returns the function that normalizes the scores of one subquery. Computes in float32 in the order of neural-search
 * (MinMaxScoreNormalizationTechnique, L2ScoreNormalizationTechnique, ZScoreNormalizationTechnique), over all shards.
 */
export function normalizerOf(technique: Normalization, subquery: SubqueryHits): Normalizer {
  const scores = subquery.flatMap((hits) => hits.map(({ score }) => score));
  switch (technique) {
    case "min_max":
      return minMax(scores);
    case "l2":
      return l2(scores);
    case "z_score":
      return zScore(scores);
  }
}

function minMax(scores: readonly number[]): Normalizer {
  const { min, max } = extremes(scores);
  const width = fround(max - min);
  if (width === 0) return () => 1;
  return (score) => fround(fround(score - min) / width) || MIN_SCORE;
}

function l2(scores: readonly number[]): Normalizer {
  let squares = 0;
  for (const score of scores) squares = fround(squares + fround(score * score));
  const norm = fround(Math.sqrt(squares));
  return (score) => (norm === 0 ? 0 : fround(score / norm));
}

function zScore(scores: readonly number[]): Normalizer {
  const { min, max } = extremes(scores);
  const mean = meanOf(scores);
  const average = fround(mean);
  const deviation = fround(standardDeviation(scores, mean));
  return (score) => {
    // neural-search gives a score equal to the mean the highest raw score.
    if (score === average) return max;
    if (deviation === 0) return min;
    const normalized = fround(fround(score - average) / deviation);
    return normalized <= 0 ? MIN_SCORE : normalized;
  };
}

function extremes(scores: readonly number[]): { min: number; max: number } {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const score of scores) {
    min = Math.min(min, score);
    max = Math.max(max, score);
  }
  return { min, max };
}

/** In double precision and two passes, as in commons-math's Mean. */
function meanOf(values: readonly number[]): number {
  const first = sum(values) / values.length;
  return first + sum(values.map((value) => value - first)) / values.length;
}

/** Returns the sample standard deviation in double precision, with the correction of commons-math's Variance. */
function standardDeviation(values: readonly number[], mean: number): number {
  if (values.length < 2) return 0;
  const deviations = values.map((value) => value - mean);
  const squares = sum(deviations.map((deviation) => deviation * deviation));
  return Math.sqrt((squares - sum(deviations) ** 2 / values.length) / (values.length - 1));
}

/** Combines the normalized scores of one document. A subquery that did not find it has 0. */
type Combiner = (scores: readonly number[]) => number;

/**
 * Returns the function that combines scores with weights, one for each subquery; null means equal weights. Computes in
 * float32 in the order of neural-search (ArithmeticMeanScoreCombinationTechnique and its siblings).
 */
export function combinerOf(technique: Combination, subqueries: number, weights: readonly number[] | null): Combiner {
  const own = Array.from({ length: subqueries }, (_, subquery) =>
    weights === null ? 1 : fround(weights[subquery] ?? 0),
  );
  return COMBINERS[technique](own);
}

const arithmetic = (weights: readonly number[]): Combiner => {
  let total = 0;
  for (const weight of weights) total = fround(total + weight);
  const add = weightedSum(weights);
  return (scores) => (total === 0 ? 0 : fround(add(scores) / total));
};

const weightedSum =
  (weights: readonly number[]): Combiner =>
  (scores) => {
    let combined = 0;
    for (let subquery = 0; subquery < weights.length; subquery += 1) {
      combined = fround(combined + fround((scores[subquery] as number) * (weights[subquery] as number)));
    }
    return combined;
  };

/** Returns the sum of a value over the subqueries that found the document, and the sum of their weights. */
function sumsOf(scores: readonly number[], weights: readonly number[], of: (weight: number, score: number) => number) {
  let sum = 0;
  let total = 0;
  for (let subquery = 0; subquery < weights.length; subquery += 1) {
    const score = scores[subquery] as number;
    if (score <= 0) continue;
    const weight = weights[subquery] as number;
    total = fround(total + weight);
    sum = fround(sum + of(weight, score));
  }
  return { sum, total };
}

const geometric =
  (weights: readonly number[]): Combiner =>
  (scores) => {
    const { sum, total } = sumsOf(scores, weights, (weight, score) => weight * Math.log(score));
    return total === 0 ? 0 : fround(Math.exp(fround(sum / total)));
  };

const harmonic =
  (weights: readonly number[]): Combiner =>
  (scores) => {
    const { sum, total } = sumsOf(scores, weights, (weight, score) => fround(weight / score));
    return sum > 0 ? fround(total / sum) : 0;
  };

const COMBINERS: Readonly<Record<Combination, (weights: readonly number[]) => Combiner>> = {
  arithmetic_mean: arithmetic,
  geometric_mean: geometric,
  harmonic_mean: harmonic,
  rrf: weightedSum,
};
