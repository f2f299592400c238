import type { Random } from "@relevance/lib/platform/statistics/random.ts";
import type { ShardHit, SubqueryHits } from "@relevance/lib/search/fusion/techniques.ts";
import { metricOf } from "../../metrics/metric.ts";
import { type Collection, collectionOf, type TuningQuery } from "../../tuning/collection.ts";

const SHARDS = 2;

/** How a collection is generated. */
export interface Plant {
  queries: number;
  documents: number;
  /** Weights of the scores whose sum is a document's true relevance. All 0: relevance is noise alone. */
  truth: readonly number[];
  /** How much noise is added to the true relevance. */
  noise: number;
}

/** Generates queries whose documents are graded by a weighted sum of the subqueries' scores and noise. */
export function plantedQueries({ queries, documents, truth, noise }: Plant, random: Random): TuningQuery[] {
  return Array.from({ length: queries }, (_, query) => {
    const scored = Array.from({ length: documents }, (_, document) => {
      const scores = truth.map(() => random() ** 2);
      const relevance = scores.reduce(
        (sum, score, subquery) => sum + score * (truth[subquery] as number),
        noise * random(),
      );
      return { id: `d${document}`, shard: document % SHARDS, scores, relevance };
    });
    const ordered = [...scored].sort((a, b) => b.relevance - a.relevance);
    const grades = new Map(ordered.slice(0, 12).map(({ id }, rank) => [id, rank < 4 ? 3 : rank < 8 ? 2 : 1]));
    const subqueries = truth.map(
      (_, subquery): SubqueryHits =>
        Array.from({ length: SHARDS }, (_, shard) =>
          scored
            .filter((one) => one.shard === shard)
            .map(
              ({ id, scores }): ShardHit => ({
                id,
                score: Math.fround((scores[subquery] as number) * (subquery + 1) * 7),
              }),
            )
            .sort((a, b) => b.score - a.score),
        ),
    );
    return { id: `q${query}`, grades, retrieved: new Map([[null, subqueries]]) };
  });
}

/** Returns a collection of generated queries, measured by ndcg@10. */
export function plantedCollection(plant: Plant, random: Random): Collection {
  const metric = metricOf("ndcg@10");
  if (!metric) throw new Error("no metric");
  return collectionOf(plantedQueries(plant, random), metric, true);
}
