import * as assert from "uvu/assert";
import { type GateInput, gate } from "../../../../lib/recommendation/training/gate.ts";
import { suite } from "../../../suite.ts";

const test = suite("metric gate");

const decide = (change: Partial<GateInput>) =>
  gate({ candidate: 0.5, active: 0.5, tolerance: 0.1, strict: false, heldBefore: 0, ...change }).switch;

test("switches to the first version, and to one whose metric is not given", () => {
  assert.equal([decide({ active: undefined, candidate: 0 }), decide({ candidate: undefined })], [true, true]);
});

test("the tolerance is relative to the active version, and its edge is within", () => {
  assert.equal(
    [decide({ candidate: 0.45 }), decide({ candidate: 0.4499 }), decide({ candidate: 0.6 })],
    [true, false, true],
  );
  assert.is(decide({ active: 0.05, candidate: 0.03 }), false);
});

test("holds two in a row, and switches to the third", () => {
  assert.equal(
    [0, 1, 2].map((heldBefore) => decide({ candidate: 0.1, heldBefore })),
    [false, false, true],
  );
});

test("strict holds every one", () => {
  assert.is(decide({ candidate: 0.1, heldBefore: 7, strict: true }), false);
});

test("says both metrics", () => {
  const { reason } = gate({ candidate: 0.1, active: 0.5, tolerance: 0.1, strict: false, heldBefore: 0 });
  assert.is(reason, "NDCG@25 is 0.1000, of the active version 0.5000: worse than the tolerance of 10 % allows");
});

test.run();
