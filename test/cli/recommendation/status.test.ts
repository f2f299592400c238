import * as assert from "uvu/assert";
import { statusText } from "../../../cli/recommendation/status.ts";
import { namesOf } from "../../../lib/platform/naming/names.ts";
import { suite } from "../../suite.ts";

const test = suite("the text of relevance status");

test("says on what Personalize measured its figures, and which events name nothing that is stored", () => {
  const names = namesOf({ project: "shop", account: "123456789012", region: "eu-west-1" });
  const entry = { name: "shop", arn: "arn:1", status: "ACTIVE" };
  const metrics = { normalized_discounted_cumulative_gain_at_25: 0.188 };
  const text = statusText(
    {
      dataset_group: entry,
      datasets: [],
      event_tracker: null,
      filters: [],
      solutions: [
        {
          ...entry,
          recipe: "similar_items",
          recipe_arn: "arn:2",
          versions: [{ ...entry, training_mode: "FULL", metrics }],
        },
      ],
      campaigns: [],
      training: null,
      large: null,
      left_out: null,
      untrained: null,
      yardstick: "The campaign does not earn its price",
      unknown: "5,194 of 6,000 events (87 %) name items that are not stored",
      held: {},
    },
    names,
    (title) => title,
  );
  assert.match(text, "0.1880");
  assert.match(text, "the newest tenth of the events of test users");
  assert.match(text, "Items that a user has seen before count");
  assert.match(text, "none is running\n5,194 of 6,000 events (87 %) name items that are not stored");
});

test.run();
