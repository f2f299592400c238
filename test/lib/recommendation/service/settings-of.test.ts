import * as assert from "uvu/assert";
import { namesOf } from "../../../../lib/platform/naming/names.ts";
import { itemColumns } from "../../../../lib/recommendation/lists/candidates/item-record.ts";
import type { RecommendationSettings } from "../../../../lib/recommendation/service/settings.ts";
import { definitionsOf, recommendationSettings } from "../../../../lib/recommendation/service/settings-of.ts";
import { PLAIN_FILES } from "../../../../lib/settings/etl.ts";
import { loadConfiguration } from "../../../../lib/settings/load.ts";
import { suite } from "../../../suite.ts";

const test = suite("recommendation: settings from the configuration");

const configuration = loadConfiguration(new URL("../../../../conf.local", import.meta.url).pathname);
const names = namesOf({ project: configuration.project.project_name, account: "123456789012", region: "eu-west-1" });
const { recommendation } = configuration;
if (!recommendation) throw new Error("conf.local has no recommendation service");

test("pointers have the names under which they are written", () => {
  const settings = recommendationSettings(configuration, recommendation, names);
  assert.equal([settings.built_in, settings.rare_items_by_text], [[], true]);
  assert.equal(settings.campaigns, {
    user_personalization: "/relevance/demo/recommendation/campaigns/user_personalization",
    similar_items: "/relevance/demo/recommendation/campaigns/similar_items",
    personalized_ranking: "/relevance/demo/recommendation/campaigns/personalized_ranking",
  });
  const [category] = settings.filters;
  assert.is(category?.parameter, "/relevance/demo/recommendation/filters/category");
  assert.is(category?.resource, names.filter("category", category?.expression ?? ""));
});

const { similar_items } = recommendation.solution.recipes;
const OTHERS = ["user_personalization", "personalized_ranking"];

for (const [what, recipes, campaigns, builtIn, learned] of [
  ["a recipe alone has a campaign", { similar_items }, ["similar_items"], OTHERS, { event_type: "view" }],
  ["no recipe at all", {}, [], [OTHERS[0], "similar_items", OTHERS[1]], {}],
] as const) {
  test(`the built-in engine answers each kind without a campaign: ${what}`, () => {
    const solution = { ...recommendation.solution, recipes } as typeof recommendation.solution;
    const settings = recommendationSettings(configuration, { ...recommendation, solution }, names);
    assert.equal([Object.keys(settings.campaigns), settings.built_in], [campaigns, builtIn]);
    assert.equal(settings.learned_events, learned);
  });
}

test("the rules for records have the refused ids, and not how sample files are read", () => {
  const personalize = { ...recommendation.personalize, ids: { refuse: ["guest"] } };
  const etl = { ...recommendation.etl, files: { ...PLAIN_FILES, separator: "::" } };
  const { refuse, ...rules } = definitionsOf({ ...recommendation, personalize, etl });
  assert.equal([refuse, rules], [["guest"], definitionsOf(recommendation)]);
});

test("an item has the columns of its file in order, without IS_ACTIVE", () => {
  const { schemas, etl } = recommendation;
  const item = { ...etl.item, columns: [...etl.item.columns, { name: "IS_ACTIVE", type: "string" as const }] };
  const definitions = { schemas, etl: { ...etl, item } };
  const settings = { definitions } as unknown as RecommendationSettings;
  assert.equal(itemColumns(settings), ["ITEM_ID", "TITLE", "AUTHOR", "CATEGORIES"]);
});

test.run();
