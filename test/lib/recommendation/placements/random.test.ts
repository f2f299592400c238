import * as assert from "uvu/assert";
import { playPlacements } from "../../../fixtures/placement-requests.ts";
import { suite } from "../../../suite.ts";

const test = suite("placements: random requests");

test("shares, exclusions, diversity and fallbacks are exact, with every upstream taken away in turn", async () => {
  const { lists, refused, ...counts } = await playPlacements(600, 36);
  // Otherwise the requests would prove little.
  for (const count of [refused, ...Object.values(counts)]) assert.ok(count > 5);
  assert.is(lists + refused, 600);
});

test.run();
