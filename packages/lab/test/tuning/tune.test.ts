import { seeded } from "@relevance/lib/platform/statistics/random.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import type { Collection } from "../../tuning/collection.ts";
import { inHundredths, neighbours, type TunedSettings, techniquesOf, weightGrid } from "../../tuning/settings.ts";
import { surfaceSvg } from "../../tuning/surface.ts";
import { tune } from "../../tuning/tune.ts";
import { type Plant, plantedCollection } from "./planted.ts";

const test = suite("tuning");
const TECHNIQUES = techniquesOf({ rrf: true, weightedRrf: false, zScore: true });
const DEFAULT: TunedSettings = {
  normalization: "min_max",
  combination: "arithmetic_mean",
  weights: null,
  candidates: 100,
  k: null,
};
const SPACE = { current: DEFAULT, techniques: TECHNIQUES, candidates: [100], ks: [null] };

const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;

const PLANTED: Plant = { queries: 40, documents: 80, truth: [0.65, 0.25, 0.1], noise: 0.1 };

test("finds settings within 1 % of the best of an exhaustive grid, with at most 1 % of its searches", () => {
  const collection = plantedCollection(PLANTED, seeded(3));
  const { best, tuned, isReal, gain } = tune(collection, SPACE);
  assert.ok(isReal, JSON.stringify(gain));
  assert.ok(Math.abs((best.weights?.[0] ?? 0) - 0.65) < 0.15, JSON.stringify(best));

  const exhaustive = plantedCollection(PLANTED, seeded(3));
  let highest = 0;
  let tried = 0;
  for (const { normalization, combination, weighted } of TECHNIQUES) {
    for (const weights of weighted ? weightGrid(3, 20) : [null]) {
      tried += 1;
      highest = Math.max(highest, mean(exhaustive.values({ ...DEFAULT, normalization, combination, weights })));
    }
  }
  assert.ok(tuned >= 0.99 * highest, `${tuned} of ${highest}`);
  // Tuning sends a search for each of three subqueries on each of two shards; the grid sends one for each setting.
  assert.ok(3 * 2 <= 0.01 * tried, `${tried} settings`);
});

test("estimates the gain on queries that were not used for the choice", () => {
  const { best, gain } = tune(plantedCollection(PLANTED, seeded(5)), SPACE);
  const fresh = plantedCollection({ ...PLANTED, queries: 200 }, seeded(99));
  const real = mean(fresh.values(best)) - mean(fresh.values(DEFAULT));
  assert.ok(gain.low <= real && real <= gain.high, `${real} in ${JSON.stringify(gain)}`);
});

// A rate of 5 % of 200 is 10.
test("reports a gain for at most 5 % of 200 collections without a difference", () => {
  const techniques = TECHNIQUES.filter(({ combination }) => combination === "arithmetic_mean" || combination === "rrf");
  let wrong = 0;
  for (let repetition = 0; repetition < 200; repetition += 1) {
    const nothing = { queries: 30, documents: 40, truth: [0, 0, 0], noise: 1 };
    const collection = plantedCollection(nothing, seeded(1_000 + repetition));
    const { isReal } = tune(collection, { ...SPACE, techniques }, { seed: repetition, resamples: 400 });
    if (isReal) wrong += 1;
  }
  assert.ok(wrong <= 10, `${wrong} of 200`);
});

test("chooses candidates and k where they matter, and keeps the current ones where they do not", () => {
  const { best } = tune(plantedCollection(PLANTED, seeded(3)), { ...SPACE, candidates: [100, 200] });
  assert.is(best.candidates, 100);
  const few = { ...SPACE, current: { ...DEFAULT, candidates: 2 }, candidates: [2, 50] };
  assert.is(tune(plantedCollection(PLANTED, seeded(3)), few).best.candidates, 50);
});

test("the weights of the grid and its neighbours sum to 1", () => {
  assert.is(weightGrid(3, 10).length, 66);
  assert.equal(weightGrid(1, 10), [[1]]);
  assert.equal(inHundredths(null, 3), [0.34, 0.33, 0.33]);
  assert.equal(inHundredths([0.7, 0.3], 2), [0.7, 0.3]);
  assert.equal(neighbours([1, 0], 0.05), [[0.95, 0.05]]);
  for (const weights of [...weightGrid(4, 10), ...neighbours([0.34, 0.33, 0.33], 0.02)]) {
    assert.ok(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-9, JSON.stringify(weights));
  }
});

/** A metric that is best at these weights of the first two of three subqueries. */
const peakAt = (x: number, y: number): Collection => ({
  queries: 1,
  subqueries: 3,
  values: ({ weights }) => Float64Array.of(1 - Math.hypot((weights?.[0] ?? 0) - x, (weights?.[1] ?? 0) - y)),
  computed: () => 0,
});

test("the heat map frames the best cell, also when the best settings of all lie elsewhere", () => {
  const best = { weights: [0.05, 0.9, 0.05], normalization: "min_max", combination: "arithmetic_mean" } as const;
  const svg = surfaceSvg(peakAt(0.3, 0.5), { ...best, candidates: 100, k: null }, "ndcg@10");
  const rects = [...svg.matchAll(/<rect [^>]*>/g)].map(([rect]) => rect);
  const [, frame] = /x="(\d+)"/.exec(rects.find((rect) => rect.includes('fill="none"')) ?? "") ?? [];
  const darkest = rects.find((rect) => /hsl\(212 65% 35%\)/.test(rect)) ?? "";
  assert.is(frame, /x="(\d+)"/.exec(darkest)?.[1]);
  assert.match(darkest, `x="${frame}"`);
});

test.run();
