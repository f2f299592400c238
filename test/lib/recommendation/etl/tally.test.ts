import * as assert from "uvu/assert";
import { Tally } from "../../../../lib/recommendation/etl/tally.ts";
import { suite } from "../../../suite.ts";

const test = suite("tally");

test("counts each text, in the order in which they came first, whether it follows itself or not", () => {
  const tally = new Tally();
  for (const text of ["view", "view", "buy", "view", "", "", "buy", "__proto__", "view"]) tally.add(text);
  assert.equal(tally.entries(), [
    ["view", 4],
    ["buy", 2],
    ["", 2],
    ["__proto__", 1],
  ]);
});

test("nothing added, nothing counted", () => assert.equal(new Tally().entries(), []));

test.run();
