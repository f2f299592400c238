import * as assert from "uvu/assert";
import { chosenTypes, eventTypeChoice, fixedTypes } from "../../../lib/settings/event-types.ts";
import { suite } from "../../suite.ts";
import { changed, filledExample, valid } from "./example.ts";

const test = suite("the event types that go to Personalize");

/** Returns the choice of a configuration, by default of the example, whose recipes and filter name only purchase. */
function choiceOf({ filters = [], types, target = "purchase" }: Partial<Setup> = {}) {
  let files = changed(filledExample(), "solution.yaml", ["event_types"], types);
  files = changed(files, "solution.yaml", ["recipes", "similar_items", "target_event_type"], target ?? undefined);
  if (target === null) {
    files = changed(files, "solution.yaml", ["recipes", "similar_items", "event_value_threshold"], undefined);
  }
  const expressions = filters.map((values) => `EXCLUDE ItemID WHERE Interactions.EVENT_TYPE ${values}`);
  const entries = expressions.map((expression, index) => ({ name: `f${index}`, expression }));
  const { recommendation } = valid(changed(files, "filter.yaml", ["filters"], entries));
  assert.ok(recommendation);
  return eventTypeChoice(recommendation);
}

interface Setup {
  filters: string[];
  types: string[];
  /** Null for a recipe that learns from all types. */
  target: string | null;
}

test("are those of event_types", () => {
  const choice = choiceOf({ types: ["view", "purchase"], filters: ["IN ($TYPE)"] });
  assert.equal(choice, { named: ["view", "purchase"], others: false, most: 8 });
  assert.equal(fixedTypes(choice), ["view", "purchase"]);
});

test("are those that recipes and filters name, by default", () => {
  const choice = choiceOf({ target: "view", filters: ['IN ("click", "view")'] });
  assert.equal(choice, { named: ["purchase", "view", "click"], others: false, most: 8 });
});

for (const [what, setup] of [
  ["a recipe without target_event_type", { target: null }],
  ["a filter with a placeholder", { filters: ["IN ($TYPE)"] }],
  ['a filter with "*"', { filters: ['IN ("*")'] }],
  ["a filter with NOT IN", { filters: ['NOT IN ("view")'] }],
] as const) {
  test(`are the most frequent others as well for ${what}`, () => {
    const { others, named } = choiceOf(setup as Partial<Setup>);
    assert.equal([others, named[0]], [true, "purchase"]);
  });
}

test("are the most frequent ones without recipes", () => {
  const files = changed(filledExample(), "solution.yaml", ["recipes"], {});
  const { recommendation } = valid(changed(files, "campaign.yaml", ["campaigns"], {}));
  assert.is(recommendation && eventTypeChoice(recommendation).others, true);
});

test("are the named ones first, then others by their number of events, without any that have none", () => {
  const counts = new Map([
    ["a", 5],
    ["b", 9],
    ["c", 9],
    ["d", 1],
  ]);
  assert.equal(chosenTypes({ named: ["d", "x"], others: true, most: 3 }, counts), ["d", "b", "c"]);
  assert.equal(chosenTypes({ named: ["d", "x"], others: false, most: 3 }, counts), ["d"]);
  assert.is(fixedTypes({ named: ["a", "b"], others: false, most: 1 }), undefined);
});

test.run();
