import * as assert from "uvu/assert";
import * as v from "valibot";
import { seeded } from "../../../../lib/platform/statistics/random.ts";
import { boosted, factorOf } from "../../../../lib/search/stages/boost-scores.ts";
import { Boost } from "../../../../lib/settings/boost.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/stages/boost-scores");

const NOW = Date.parse("2026-11-29T00:00:00Z");
const DAY = 86_400_000;
const settings = (factors: object[], mode = "sum") => v.parse(Boost, { mode, factors });
const factor = (rest: object, values: unknown[]) => {
  const [parsed] = settings([{ field: "f", ...rest }]).factors ?? [];
  return Number((parsed ? factorOf(parsed, NOW)(values) : Number.NaN).toFixed(6));
};
const decay = (curve: string, rest: object = {}) => ({ decay: { curve, origin: 10, scale: 4, ...rest } });

/** What a factor has for values: of decays, OpenSearch's formulas by hand. */
const FACTORS: ReadonlyArray<[what: string, factor: object, values: unknown[], expected: number]> = [
  ["gauss at the origin", decay("gauss"), [10], 1],
  ["gauss at the scale", decay("gauss"), [14], 0.5],
  ["gauss at twice the scale", decay("gauss"), [2], 0.0625],
  ["exp at twice the scale", decay("exp"), [18], 0.25],
  ["linear at half the scale", decay("linear"), [12], 0.75],
  ["linear beyond its end", decay("linear"), [30], 0],
  ["an offset comes before the scale", decay("linear", { offset: 3, decay: 0.2 }), [17], 0.2],
  ["within the offset", decay("gauss", { offset: 3 }), [12.5], 1],
  ["the nearest of several values", decay("exp"), [30, 14], 0.5],
  ["now", { decay: { curve: "exp", origin: "now", scale: "100d" } }, [String(NOW - 100 * DAY)], 0.5],
  ["a day", { decay: { curve: "linear", origin: "2026-11-01", scale: "48h" } }, [Date.parse("2026-11-03")], 0.5],
  ["a time", { decay: { origin: "2026-11-01T12:00Z", scale: "30m" } }, [Date.parse("2026-11-01T12:30Z")], 0.5],
  // A degree of latitude is 111,195.08 m on OpenSearch's sphere.
  ["a place", { decay: { curve: "exp", origin: "52,13", scale: "111.19508km" } }, ["53.0, 13.0"], 0.5],
  ["log1p", { number: { function: "log1p", cap: 99 } }, [9], 0.5],
  ["sqrt", { number: { function: "sqrt", cap: 100 } }, ["25"], 0.5],
  ["reciprocal", { number: { function: "reciprocal", cap: 10 } }, [40], 0.25],
  ["a number beyond the cap", { number: { function: "log1p", cap: 99 } }, [1_000], 1],
  ["a negative number", { number: { function: "sqrt", cap: 9 } }, [-4], 0],
  ["reciprocal up to the cap", { number: { function: "reciprocal", cap: 10 } }, [0], 1],
  ["a table", { values: { yes: 0.9, true: 0.3 } }, [true], 0.3],
  ["a value that the table lacks", { values: { yes: 0.9 }, missing: 0.4 }, ["no"], 0.4],
  ["no value", { ...decay("gauss"), missing: 0.7 }, [], 0.7],
  ["no value and no setting", decay("gauss"), [], 0],
];

for (const [what, one, values, expected] of FACTORS) {
  test(`a factor of ${what}`, () => assert.is(factor(one, values), expected));
}

const REFUSED: ReadonlyArray<[what: string, factor: object]> = [
  ["none of decay, number and values", {}],
  ["two of them", { ...decay("gauss"), values: {} }],
  ["a scale of another kind than its origin", { decay: { origin: "now", scale: "5km" } }],
  ["a scale of 0", decay("gauss", { scale: 0 })],
  ["an offset of another kind", { decay: { origin: "1,2", scale: "5km", offset: 3 } }],
  ["a place that is none", { decay: { origin: "91,2", scale: "5km" } }],
  ["a day that is none", { decay: { origin: "2026-13-01", scale: "5d" } }],
  ["a table with factors above 1", { values: { a: 2 } }],
];

test("a factor is refused if its parts do not fit", () => {
  for (const [what, one] of REFUSED) assert.not(v.is(Boost, { factors: [{ field: "f", ...one }] }), what);
});

const SIZE = { number: { function: "sqrt", cap: 100 } };

test("a sum adds parts of the best score, a product parts of the hit's own; equal hits keep their order", () => {
  const factors = [
    { field: "a", ...SIZE, weight: 0.5 },
    { field: "b", values: { x: 1 }, weight: 1 },
  ];
  const list = {
    scores: [8, 4, 4],
    values: [
      [[0], []],
      [[25], ["x"]],
      [[25], ["x"]],
    ],
    now: NOW,
  };
  const [first, second, third] = boosted(settings(factors), list);
  assert.equal(first, { at: 1, score: 0.5 + 0.25 + 1, relevance: 0.5, factors: [0.5, 1] });
  assert.equal([second?.at, third?.at, third?.score], [2, 0, 1]);
  const multiplied = boosted(settings(factors, "product"), list);
  assert.equal(
    multiplied.map(({ at, score }) => [at, score]),
    [
      [1, 0.5 * 1.25 * 2],
      [2, 0.5 * 1.25 * 2],
      [0, 1],
    ],
  );
});

test("a list that an earlier stage reordered has the scores of its places, and one without scores is ordered by factors", () => {
  const factors = [{ field: "a", ...SIZE, weight: 0.001 }];
  const values = [[[0]], [[100]], [[0]]];
  const places = (scores: number[]) => boosted(settings(factors), { scores, values, now: NOW }).map(({ at }) => at);
  assert.equal(places([1, 9, 5]), [0, 1, 2]);
  assert.equal(places([0, 0, 0]), [1, 0, 2]);
});

test("the time of a search does not change the order within a hundredth of the scale", () => {
  const random = seeded(11);
  const factors = [{ field: "a", decay: { curve: "linear", origin: "now", scale: "100d" } }];
  for (let list = 0; list < 50; list += 1) {
    const values = Array.from({ length: 40 }, () => [[NOW - random() * 200 * DAY]]);
    const scores = values.map(() => random());
    const at = (now: number) => boosted(settings(factors), { scores, values, now });
    assert.equal(at(NOW + 0.01 * DAY), at(NOW + 0.9 * DAY));
  }
});

test.run();
