import * as assert from "uvu/assert";
import { leftWeights } from "../../../../../lib/search/api/hybrid/queries.ts";
import { suite } from "../../../../suite.ts";

const test = suite("lib/search/api/hybrid/queries");

test("weights of the remaining legs are scaled to sum to 1", () => {
  assert.equal(leftWeights([0.5, 0.25, 0.25], [1, 2]), { weights: [0.5, 0.5], change: "scaled" });
});

test("remaining weights become equal when all of them are 0", () => {
  assert.equal(leftWeights([0, 0, 1], [0, 1]), { weights: [0.5, 0.5], change: "equal" });
});

test("weights stay unchanged when every leg remains, and missing weights stay missing", () => {
  assert.equal(leftWeights([0.1, 0.9], [0, 1]), { weights: [0.1, 0.9], change: "none" });
  assert.equal(leftWeights(null, [0]), { weights: null, change: "none" });
});

test.run();
