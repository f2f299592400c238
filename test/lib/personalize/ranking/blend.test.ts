import * as assert from "uvu/assert";
import { blend, scoreBelowWindow } from "../../../../lib/personalize/ranking/blend.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/personalize/ranking/blend");

/** Places of five hits that Personalize returns in reverse. */
const order = (weight: number) => blend([5, 4, 3, 2, 1], weight).map(({ hit }) => hit + 1);

for (const [weight, expected] of [
  [0.3, [1, 2, 5, 3, 4]],
  [0.5, [1, 5, 2, 4, 3]],
  [0.7, [5, 4, 1, 3, 2]],
  [1, [5, 4, 3, 2, 1]],
  [0, [1, 2, 3, 4, 5]],
] as const) {
  test(`five hits reversed by the campaign, weight ${weight}: ${expected.join(" ")}`, () => {
    assert.equal(order(weight), expected);
  });
}

test("gives the score of the formula", () => {
  const [first] = blend([2, 1], 0.25);
  assert.equal(first, { hit: 0, score: 0.75 / Math.log2(2) + 0.25 / Math.log2(3) });
});

test("a hit that the campaign does not know ranks one place below all others", () => {
  const [, , third] = blend([1, undefined, 2], 0.5);
  assert.equal(third, { hit: 1, score: 0.5 / Math.log2(3) + 0.5 / Math.log2(5) });
});

test("ties keep search order", () => {
  assert.equal(
    blend([undefined, undefined, undefined], 1).map(({ hit }) => hit),
    [0, 1, 2],
  );
});

for (const weight of [0.1, 0.5, 1]) {
  test(`scores below the window continue under its last, weight ${weight}`, () => {
    const inside = blend([undefined, 1, undefined, 2], weight).map(({ score }) => score);
    const below = [5, 6, 7].map((rank) => scoreBelowWindow(rank, weight));
    const all = [...inside, ...below];
    for (const [place, score] of all.slice(inside.length).entries()) {
      assert.ok(score < (all[inside.length + place - 1] ?? 0), `place ${inside.length + place + 1}`);
    }
  });
}

test.run();
