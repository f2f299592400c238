import * as assert from "uvu/assert";
import { simultaneousIntervals } from "../../../../lib/platform/statistics/bootstrap.ts";
import { type Random, seeded } from "../../../../lib/platform/statistics/random.ts";
import { normal } from "../../../fixtures/populations.ts";
import { suite } from "../../../suite.ts";

const test = suite("bootstrap intervals");

const normals = (count: number, random: Random) => Array.from({ length: count }, () => normal(random));

test("a setting that equals the baseline has the interval 0 to 0, whatever the others have", () => {
  const [same, other] = simultaneousIntervals([new Array(30).fill(0), normals(30, seeded(1))]);
  assert.equal(same, { mean: 0, low: 0, high: 0 });
  assert.ok(other && other.low < other.high);
});

test("the same seed gives the same intervals", () => {
  const values = [normals(25, seeded(5))];
  assert.equal(simultaneousIntervals(values, { seed: 3 }), simultaneousIntervals(values, { seed: 3 }));
});

test.run();
