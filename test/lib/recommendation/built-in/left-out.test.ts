import * as assert from "uvu/assert";
import type { Interval } from "../../../../lib/platform/statistics/bootstrap.ts";
import { newestTenth } from "../../../../lib/recommendation/built-in/measure.ts";
import { demoData } from "../../../../packages/demo-data/readers.ts";
import { tasteData } from "../../../../packages/local-personalize/test/taste-data.ts";
import { demoHistories, leaveOut } from "../../../fixtures/left-out.ts";
import { suite } from "../../../suite.ts";

/** `make bench ARGS=left-out COLLECTION=…` measures the same on the demo's whole data and on a public collection. */
const test = suite("The reported quality of the built-in engine and what the API answers");

const taste = tasteData({ seed: 11, users: 600, items: 900, eventsPerUser: 20 });

/** Every tenth item is retired. Those are predicted by nobody, and must not take places in the lists that are measured. */
const histories = {
  items: taste.items.map(({ itemId, categories }, at) => ({
    ...{ itemId, title: `Book ${itemId}`, categories, isActive: at % 10 !== 3 },
  })),
  events: taste.events,
};

const agree = ({ mean }: Interval, { low, high }: Interval) => low <= mean && mean <= high;

for (const [what, data] of [
  ["data with hidden tastes and retired items", histories],
  ["the demo's data", demoHistories(demoData({ interactions: 30_000 }))],
] as const) {
  test(`agree within the interval on ${what}, and no answer has an item that the user had`, async () => {
    const { reported, answered, had } = await leaveOut(data, newestTenth);
    assert.ok(agree(answered, reported.built_in), JSON.stringify({ reported, answered }));
    assert.ok(reported.built_in.mean > reported.popularity.mean, JSON.stringify(reported));
    assert.is(had, 0);
  });
}

test.run();
