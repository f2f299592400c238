import * as assert from "uvu/assert";
import { nearest } from "../../../lib/settings/nearest.ts";
import { suite } from "../../suite.ts";

const test = suite("nearest word");

const words = ["min_capacity", "max_capacity", "utilization_target", "vpc"];

for (const [given, expected] of [
  ["min_capcity", "min_capacity"],
  ["mni_capacity", "min_capacity"],
  ["MAX_CAPACITY", "max_capacity"],
  ["max_capacitys", "max_capacity"],
  ["utilisation_target", "utilization_target"],
  ["vcp", "vpc"],
  ["subnet", undefined],
  ["xyz", undefined],
  ["", undefined],
] as const) {
  test(`${given} is near ${expected ?? "none"}`, () => {
    assert.is(nearest(given, words), expected);
  });
}

test("returns the nearer of two words", () => {
  assert.is(nearest("item", ["items", "item_id", "times"]), "items");
});

test.run();
