import * as assert from "uvu/assert";
import { seeded } from "../../../../lib/platform/statistics/random.ts";
import { playRandomPages } from "../../../fixtures/page-stages.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/page: random searches, stages and pages");

/** Set PAGE_SEARCHES to play more. */
const SEARCHES = Number(process.env.PAGE_SEARCHES ?? 500);

test(`${SEARCHES} random searches show each hit once over all pages, and no hidden one`, async () => {
  for (let seed = 1; seed <= SEARCHES; seed += 1) {
    const wrong = await playRandomPages(seeded(seed));
    assert.equal(wrong, [], `seed ${seed}`);
  }
});

test.run();
