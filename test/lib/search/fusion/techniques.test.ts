import * as assert from "uvu/assert";
import { COMBINATIONS, type Combination, type Normalization } from "../../../../lib/platform/contract/search.ts";
import { combinerOf, normalizerOf } from "../../../../lib/search/fusion/techniques.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/fusion/techniques");

const near = (got: number, wanted: number, what: string) => assert.ok(Math.abs(got - wanted) < 1e-6, `${what}: ${got}`);

/** Scores of two shards: normalized together, their mean is 2.5. */
const SUBQUERY = [
  [
    { id: "a", score: 4 },
    { id: "b", score: 1 },
  ],
  [
    { id: "c", score: 3 },
    { id: "d", score: 2 },
  ],
];

test("normalizes the scores of all shards together, as the formulas say", () => {
  const normalized = (technique: Normalization) => [4, 3, 2, 1].map(normalizerOf(technique, SUBQUERY));
  const deviation = Math.sqrt(5 / 3);
  const expected: Record<Normalization, number[]> = {
    min_max: [1, 2 / 3, 1 / 3, 0.001],
    l2: [4, 3, 2, 1].map((score) => score / Math.sqrt(30)),
    z_score: [1.5 / deviation, 0.5 / deviation, 0.001, 0.001],
  };
  for (const [technique, wanted] of Object.entries(expected)) {
    const got = normalized(technique as Normalization);
    for (const [at, value] of wanted.entries()) near(got[at] ?? Number.NaN, value, `${technique} ${at}`);
  }
});

test("equal scores, and a single one, normalize without a division by zero", () => {
  const same = [
    [
      { id: "a", score: 2 },
      { id: "b", score: 2 },
    ],
  ];
  const one = [[{ id: "a", score: 2 }]];
  assert.equal([normalizerOf("min_max", same)(2), normalizerOf("z_score", same)(2)], [1, 2]);
  assert.equal(
    [normalizerOf("min_max", one)(2), normalizerOf("z_score", one)(2), normalizerOf("l2", one)(2)],
    [1, 2, 1],
  );
  assert.is(normalizerOf("l2", [[{ id: "a", score: 0 }]])(0), 0);
  // A score equal to the mean counts as the highest one.
  const odd = [[4, 2, 3].map((score, at) => ({ id: `${at}`, score }))];
  assert.is(normalizerOf("z_score", odd)(3), 4);
});

test("combines with weights, and by the subqueries that found a document alone where the technique says so", () => {
  const combined = (technique: Combination, scores: number[], weights: number[] | null = [0.25, 0.75]) =>
    combinerOf(technique, scores.length, weights)(scores);
  near(combined("arithmetic_mean", [0.4, 0.8]), 0.7, "arithmetic");
  near(combined("arithmetic_mean", [0.4, 0.8], null), 0.6, "arithmetic, equal weights");
  near(combined("arithmetic_mean", [0.4, 0]), 0.1, "arithmetic counts a subquery that did not find it");
  near(combined("geometric_mean", [0.4, 0.8]), 0.4 ** 0.25 * 0.8 ** 0.75, "geometric");
  near(combined("geometric_mean", [0.4, 0]), 0.4, "geometric of one subquery");
  near(combined("harmonic_mean", [0.4, 0.8]), 1 / (0.25 / 0.4 + 0.75 / 0.8), "harmonic");
  near(combined("harmonic_mean", [0, 0.8]), 0.8, "harmonic of one subquery");
  near(combined("rrf", [0.4, 0.8]), 0.7, "rrf is a sum");
  near(combined("rrf", [0.4, 0.8], null), 1.2, "rrf, equal weights");
});

test("a document that no subquery found, and weights of zero, are 0", () => {
  for (const technique of COMBINATIONS) {
    assert.is(combinerOf(technique, 2, null)([0, 0]), 0, technique);
    assert.is(combinerOf(technique, 2, [0, 0])([0.4, 0.8]), 0, `${technique} without weights`);
  }
});

test.run();
