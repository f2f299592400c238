// Can somebody wait for `relevance tune`?

import { plantedCollection } from "../lab/test/tuning/planted.ts";
import { type TunedSettings, techniquesOf, weightGrid } from "../lab/tuning/settings.ts";
import { tune } from "../lab/tuning/tune.ts";
import { seeded } from "../lib/core/statistics/random.ts";
import { type Benchmark, load, type Row } from "./result.ts";

const SETTINGS = 2_000;
const QUERIES = 200;
/** In two shards, of which each subquery retrieves 100. */
const DOCUMENTS = 200;
const BUDGET_S = 30;

/** Measures what `tune` computes once the hits of all subqueries are retrieved. */
export const tuneBenchmark: Benchmark = {
  name: "tune",
  async run(): Promise<Row[]> {
    const techniques = techniquesOf({ rrf: true, weightedRrf: true, zScore: true });
    const all = weightGrid(3, 25).flatMap((weights) =>
      techniques.map(
        ({ normalization, combination }): TunedSettings => ({
          ...{ normalization, combination, weights },
          ...{ candidates: 100, k: null },
        }),
      ),
    );
    const plant = { queries: QUERIES, documents: DOCUMENTS, truth: [0.65, 0.25, 0.1], noise: 0.1 };
    const collection = plantedCollection(plant, seeded(1));
    const seconds = timed(() => {
      for (const settings of all.slice(0, SETTINGS)) collection.values(settings);
    });
    const [current] = all;
    if (!current || all.length < SETTINGS) throw new Error(`only ${all.length} settings`);
    const fresh = plantedCollection(plant, seeded(1));
    let tried = 0;
    const whole = timed(() => {
      tried = tune(fresh, { current, techniques, candidates: [100], ks: [null] }).settings;
    });
    return [
      {
        what: `tune: ${SETTINGS} settings over ${QUERIES} queries with three subqueries, after retrieval`,
        budget: `≤ ${BUDGET_S} s`,
        reached: `${seconds.toFixed(1)} s`,
        kept: seconds <= BUDGET_S,
        note:
          `100 candidates of each subquery on each of two shards, ndcg@10, every technique; a whole tuning with its ` +
          `cross-validation computes ${tried} settings and takes ${whole.toFixed(1)} s; ${load()}`,
      },
    ];
  },
};

/** Returns the seconds that the work takes. */
function timed(work: () => void): number {
  const start = performance.now();
  work();
  return (performance.now() - start) / 1_000;
}
