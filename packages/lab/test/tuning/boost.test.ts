import { type Random, seeded } from "@relevance/lib/platform/statistics/random.ts";
import { Boost } from "@relevance/lib/settings/boost.ts";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { suite } from "../../../../test/suite.ts";
import { metricOf } from "../../metrics/metric.ts";
import { type BoostQuery, boostCollection, boostText, tuneBoost } from "../../tuning/boost.ts";

const test = suite("tuning of boosts");

const NOW = Date.parse("2026-11-29");
const DAY = 86_400_000;
const METRIC = metricOf("ndcg@10");
if (!METRIC) throw new Error("no metric");
const metric = METRIC;

const decay = { curve: "exp", origin: "now", scale: "60d" };
const proposed = v.parse(Boost, { factors: [{ field: "published", decay }] });
const current = v.parse(Boost, { factors: [{ field: "published", decay, weight: 0 }] });

/** Queries whose documents are graded by their score, noise, and as much of their age as `newness` says. */
function planted(queries: number, newness: number, random: Random): BoostQuery[] {
  return Array.from({ length: queries }, () => {
    const documents = Array.from({ length: 60 }, (_, at) => ({ id: `d${at}`, score: random(), age: random() * 365 }))
      .map((one) => ({ ...one, truth: one.score + newness * 0.5 ** (one.age / 60) + 0.4 * random() }))
      .sort((a, b) => b.truth - a.truth);
    const grades = new Map(documents.slice(0, 12).map(({ id }, rank) => [id, rank < 4 ? 3 : rank < 8 ? 2 : 1]));
    const hits = documents
      .sort((a, b) => b.score - a.score)
      .map(({ id, score, age }) => ({ id, score, values: { published: [String(NOW - age * DAY)] } }));
    return { grades, hits, window: 50 };
  });
}

test("finds a planted gain of 0.05, with a weight and a scale near those planted", () => {
  const collection = boostCollection(planted(60, 0.22, seeded(4)), metric, NOW);
  const { best, gain, isReal } = tuneBoost(collection, { current, proposed });
  assert.ok(isReal, JSON.stringify(gain));
  assert.ok(gain.mean > 0.03 && gain.mean < 0.07, JSON.stringify(gain));
  const [factor] = best.factors ?? [];
  assert.ok([0.1, 0.2, 0.5].includes(factor?.weight ?? 0), boostText(best));
  const fresh = boostCollection(planted(300, 0.22, seeded(9)), metric, NOW);
  const mean = (values: Float64Array) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const real = mean(fresh.values(best)) - mean(fresh.values(current));
  assert.ok(gain.low <= real && real <= gain.high, `${real} in ${JSON.stringify(gain)}`);
});

test("declines in at least 95 of 100 collections in which age says nothing", () => {
  let declined = 0;
  for (let seed = 1; seed <= 100; seed += 1) {
    const collection = boostCollection(planted(20, 0, seeded(1_000 + seed)), metric, NOW);
    if (!tuneBoost(collection, { current, proposed }, { seed, resamples: 400 }).isReal) declined += 1;
  }
  assert.ok(declined >= 95, `${declined} of 100`);
});

test("tries multiples of a scale or a cap, and says what it chose", () => {
  const number = { function: "log1p", cap: 100 };
  const factors = [
    { field: "published", decay },
    { field: "sold", number, weight: 0.2 },
    { field: "stock", values: { yes: 1 } },
  ];
  const text = boostText(v.parse(Boost, { mode: "product", factors }));
  assert.is(text, "product; published: weight 0.1, scale 60d; sold: weight 0.2, cap 100; stock: weight 0.1");
  assert.is(boostText(v.parse(Boost, {})), "no boost");
});

test.run();
