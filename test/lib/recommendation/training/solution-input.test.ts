import * as assert from "uvu/assert";
import { namesOf } from "../../../../lib/core/naming/names.ts";
import { PROJECT_TAG, STACK_TAG } from "../../../../lib/core/naming/tags.ts";
import { trainingSettings } from "../../../../lib/recommendation/training/settings.ts";
import { solutionInput } from "../../../../lib/recommendation/training/solution-input.ts";
import { suite } from "../../../suite.ts";
import { filledExample, valid } from "../../config/example.ts";

const test = suite("solution of a recipe's settings");

const names = namesOf({ project: "shop", account: "123456789012", region: "eu-west-1" });
const config = valid(filledExample());
if (!config.recommendation) throw new Error("the example has a recommendation service");
const settings = trainingSettings(config, config.recommendation);
const recipe = settings.recipes.similar_items;
if (!recipe) throw new Error("the example has similar_items");

test("resources of training have the project's tags, and those by which they are found", () => {
  const { project_name, aws } = config.project;
  const tags = { ...aws.tags, [PROJECT_TAG]: project_name, [STACK_TAG]: "recommendation" };
  assert.equal(settings.tags, tags);
  const given = solutionInput(names, "similar_items", recipe, settings.tags).tags ?? [];
  assert.equal(Object.fromEntries(given.map(({ tagKey, tagValue }) => [tagKey, tagValue])), tags);
});

test("holds the configured settings as Personalize expects them, without automatic training", () => {
  const { name, ...input } = solutionInput(names, "similar_items", {
    ...recipe,
    parameters: [
      { name: "popularity_discount_factor", value: 0.5 },
      { name: "max_item_interaction_count_percentile", value: 0.9 },
    ],
    excluded_dataset_columns: [{ name: "Item", value: ["AUTHOR"] }],
  });
  assert.match(name, /^shop-similar-items-[0-9a-f]{8}$/);
  assert.equal(input, {
    datasetGroupArn: "arn:aws:personalize:eu-west-1:123456789012:dataset-group/shop",
    performAutoTraining: false,
    recipeArn: "arn:aws:personalize:::recipe/aws-sims",
    eventType: "purchase",
    solutionConfig: {
      eventValueThreshold: "0.5",
      algorithmHyperParameters: { popularity_discount_factor: "0.5" },
      featureTransformationParameters: { max_item_interaction_count_percentile: "0.9" },
      trainingDataConfig: { excludedDatasetColumns: { ITEMS: ["AUTHOR"] } },
    },
    tags: [],
  });
});

test("every setting changes its name, but campaign settings and tags do not", () => {
  const nameOf = (change: Partial<typeof recipe>, tags = {}) =>
    solutionInput(names, "similar_items", { ...recipe, ...change }, tags).name;
  const same = nameOf({});
  assert.is(nameOf({ min_provisioned_tps: 9 }, { team: "x" }), same);
  const others = [
    { recipe_name: "aws-similar-items" },
    { event_type: "view" },
    { event_value_threshold: "0.6" },
    { parameters: [{ name: "popularity_discount_factor", value: 0.6 }] },
    { excluded_dataset_columns: [{ name: "User" as const, value: ["AGE"] }] },
    { columns: "more" },
  ].map((change) => nameOf(change));
  assert.is(new Set([same, ...others]).size, 7);
});

test("a new dataset column needs a new solution, since Personalize leaves it out of an existing one", () => {
  const { recommendation } = config;
  if (!recommendation) throw new Error("the example has a recommendation service");
  const schemas = structuredClone(recommendation.schemas);
  schemas.item.fields.push({ name: "PAGES", type: ["null", "int"] });
  const { similar_items } = trainingSettings(config, { ...recommendation, schemas }).recipes;
  assert.is.not(similar_items?.columns, recipe.columns);
});

test("settings contain each recipe with the TPS of its campaign", () => {
  assert.equal(Object.keys(settings.recipes), ["user_personalization", "similar_items", "personalized_ranking"]);
  const { campaigns } = config.recommendation ?? {};
  assert.is(recipe.min_provisioned_tps, campaigns?.similar_items?.min_provisioned_tps);
});

test.run();
