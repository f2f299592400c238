import {
  COMBINATION_FACTS,
  type Combination,
  type Normalization,
  RANK_CONSTANT,
  type Techniques,
} from "../../platform/contract/search.ts";
import { combinerOf, normalizerOf, type SubqueryHits } from "./techniques.ts";
import { inTieOrder } from "./tie-order.ts";

/** The settings of a hybrid search that fusion depends on. */
export interface FusionSettings extends Techniques {
  /** One for each subquery; null means equal weights. */
  weights: readonly number[] | null;
}

/** A fused hit. */
export interface FusedHit {
  id: string;
  /** float32 */
  score: number;
}

/**
 * All documents found by any subquery, with their normalized score in each subquery. These do not depend on weights and
 * combination, so evaluating many settings is cheap.
 */
export interface NormalizedSubqueries {
  subqueries: number;
  /** Ids in the order in which the cluster breaks ties. */
  ids: readonly string[];
  /** Scores of document d in subquery l at `d * subqueries + l`; 0 where the subquery did not find it. */
  scores: Float32Array;
}

/** Contribution of a hit before combination: its normalized score, or `1 / (60 + rank)`. */
type Scoring = Normalization | "ranks";

/** Returns the contribution of hits under a pair of techniques. */
export function scoringOf({ normalization, combination }: Techniques): Scoring {
  return COMBINATION_FACTS[combination].of === "ranks" ? "ranks" : normalization;
}

/**
 * Normalizes the hits of each subquery as the cluster does. `globalRanks`: ranks count over all shards (OpenSearch 3.0
 * and later) instead of within each shard.
 */
export function normalizeSubqueries(
  subqueries: readonly SubqueryHits[],
  scoring: Scoring,
  globalRanks: boolean,
): NormalizedSubqueries {
  // A document is on one shard; the shard's number keeps equal ids of several indexes apart.
  const documents = new Map<string, number>();
  const ids: string[] = [];
  for (const [shard, found] of inTieOrder(subqueries).entries()) {
    for (const id of found) documents.set(`${shard} ${id}`, ids.push(id) - 1);
  }
  const scores = new Float32Array(documents.size * subqueries.length);
  for (const [index, subquery] of subqueries.entries()) {
    const scored = scoring === "ranks" ? reciprocalRanks(subquery, globalRanks) : normalized(subquery, scoring);
    for (const [shard, hits] of subquery.entries()) {
      for (const [position, { id }] of hits.entries()) {
        const document = documents.get(`${shard} ${id}`) as number;
        scores[document * subqueries.length + index] = scored[shard]?.[position] as number;
      }
    }
  }
  return { subqueries: subqueries.length, ids, scores };
}

function normalized(subquery: SubqueryHits, technique: Normalization): number[][] {
  const normalize = normalizerOf(technique, subquery);
  return subquery.map((hits) => hits.map(({ score }) => normalize(score)));
}

/** The cluster rounds `1 / (60 + rank)` to ten decimals before it becomes a float32 (RRFNormalizationTechnique). */
const reciprocal = (position: number) => Math.fround(Number((1 / (RANK_CONSTANT + position + 1)).toFixed(10)));

function reciprocalRanks(subquery: SubqueryHits, globalRanks: boolean): number[][] {
  const ranks = subquery.map((hits) => hits.map((_, position) => reciprocal(position)));
  if (!globalRanks) return ranks;
  const all = subquery.flatMap((hits, shard) => hits.map(({ score }, position) => ({ score, shard, position })));
  all.sort((a, b) => b.score - a.score || a.shard - b.shard || a.position - b.position);
  for (const [rank, { shard, position }] of all.entries()) (ranks[shard] as number[])[position] = reciprocal(rank);
  return ranks;
}

/** Returns the best `size` documents under a combination and weights. Equal scores are in the order of `ids`. */
export function combineSubqueries(
  { subqueries, ids, scores }: NormalizedSubqueries,
  combination: Combination,
  weights: readonly number[] | null,
  size: number,
): FusedHit[] {
  const combine = combinerOf(combination, subqueries, weights);
  const own = new Array<number>(subqueries);
  // Insertion into a short sorted list is much faster than sorting all documents if `size` is small.
  const best: FusedHit[] = [];
  for (let document = 0; document < ids.length; document += 1) {
    for (let subquery = 0; subquery < subqueries; subquery += 1)
      own[subquery] = scores[document * subqueries + subquery] as number;
    const score = combine(own);
    const last = best.at(-1);
    if (best.length === size && last && score <= last.score) continue;
    let position = best.length;
    while (position > 0 && score > (best[position - 1] as FusedHit).score) position -= 1;
    best.splice(position, 0, { id: ids[document] as string, score });
    if (best.length > size) best.pop();
  }
  return best;
}

/**
 * Fuses the hits of several subqueries as the cluster's hybrid query does: same scores, same order. Ties are the same
 * too if the hits have Lucene document numbers.
 */
export function fuse(
  subqueries: readonly SubqueryHits[],
  settings: FusionSettings,
  options: { size: number; globalRanks: boolean },
): FusedHit[] {
  const prepared = normalizeSubqueries(subqueries, scoringOf(settings), options.globalRanks);
  return combineSubqueries(prepared, settings.combination, settings.weights, options.size);
}
