import * as assert from "uvu/assert";
import { suite } from "../../suite.ts";
import { changed, filledExample, problemsOf } from "./example.ts";
import { type Changes, moreItemColumns, type Rule, testRules } from "./rules.ts";

const test = suite("checks of recipes, columns and filters");

const example = filledExample();

const ITEM = "schema/item_schema.json";

const filter = (expression: string): Changes => ({ "filter.yaml filters[0].expression": expression });
const filters = (...expressions: string[]): Changes => ({
  "filter.yaml filters": expressions.map((expression, index) => ({ name: `f${index}`, expression })),
});
const inColumn = (column: string) => `INCLUDE ItemID WHERE Items.${column} IN ("x")`;

const RULES: readonly Rule[] = [
  {
    rule: "a recipe has its campaign, if there are any",
    good: { "solution.yaml recipes": {}, "campaign.yaml campaigns": {} },
    bad: { "campaign.yaml campaigns.similar_items": undefined },
    problems: "campaign.yaml campaigns.similar_items is missing: solution.yaml configures this recipe",
  },
  {
    rule: "a campaign has its recipe",

    bad: { "solution.yaml recipes.similar_items": undefined },
    problems:
      "campaign.yaml campaigns.similar_items has no recipe of this name in solution.yaml: add one there, or remove this",
  },
  {
    rule: "a threshold has an event type",
    good: {
      "solution.yaml recipes.user_personalization.target_event_type": "read",
      "solution.yaml recipes.user_personalization.event_value_threshold": "3",
    },
    bad: {
      "solution.yaml recipes.user_personalization.target_event_type": undefined,
      "solution.yaml recipes.user_personalization.event_value_threshold": "3",
    },
    problems:
      "solution.yaml recipes.user_personalization.event_value_threshold needs target_event_type: Personalize takes a threshold for one event type only",
  },
  {
    rule: "event types fit beside the columns of the interaction schema",
    good: { "solution.yaml event_types": ["purchase", "a", "b", "c", "d", "e", "f", "g"] },
    bad: { "solution.yaml event_types": ["purchase", "a", "b", "c", "d", "e", "f", "g", "h"] },
    problems:
      "solution.yaml event_types has 9 event types: Personalize takes 10 together with the fields EVENT_TYPE, EVENT_VALUE of the interaction schema, so list at most 8",
  },
  {
    rule: "event types are listed once",
    good: { "solution.yaml event_types": ["purchase", "view"] },
    bad: { "solution.yaml event_types": ["purchase", "view", "view"] },
    problems: 'solution.yaml event_types[2] "view" appears twice',
  },
  {
    rule: "recipes and filters name types of event_types, if there is such a list",
    good: {
      "solution.yaml event_types": ["purchase", "view"],
      ...filters('EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("view", "*")'),
    },
    bad: {
      "solution.yaml event_types": ["purchase", "view"],
      "solution.yaml recipes.user_personalization.target_event_type": "read",
      ...filters('EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("purchase", "views")'),
    },
    problems: [
      'solution.yaml recipes.user_personalization.target_event_type "read" is not in event_types of solution.yaml: add it there',
      'filter.yaml filters[0].expression "views" is not in event_types of solution.yaml: did you mean "view"?',
    ],
  },
  {
    rule: "a parameter belongs to the recipe, or the error names the recipe that has it",
    good: {
      "solution.yaml recipes.user_personalization.recipe_name": "aws-user-personalization-v2",
      "solution.yaml recipes.user_personalization.parameters": [{ name: "apply_recency_bias", value: false }],
    },
    bad: { "solution.yaml recipes.user_personalization.parameters[0].name": "popularity_discount_factor" },
    problems:
      'solution.yaml recipes.user_personalization.parameters[0].name "popularity_discount_factor" is not a parameter of aws-user-personalization: it belongs to aws-sims',
  },
  {
    rule: "a parameter of trending items is one of Personalize's texts",
    good: {
      "solution.yaml recipes.user_personalization.recipe_name": "aws-trending-now",
      "solution.yaml recipes.user_personalization.parameters": [{ name: "trend_discovery_frequency", value: "1 hour" }],
    },
    bad: {
      "solution.yaml recipes.user_personalization.recipe_name": "aws-trending-now",
      "solution.yaml recipes.user_personalization.parameters": [{ name: "trend_discovery_frequency", value: "1h" }],
    },
    problems:
      'solution.yaml recipes.user_personalization.parameters[0].value must be "30 minutes", "1 hour", "2 hours", "3 hours" or "1 day" for trend_discovery_frequency of aws-trending-now, got 1h',
  },
  {
    rule: "only the recipe that explores has settings of exploration",
    good: { "campaign.yaml campaigns.user_personalization.item_exploration_config": {} },
    bad: {
      "solution.yaml recipes.user_personalization.recipe_name": "aws-popularity-count",
      "solution.yaml recipes.user_personalization.parameters": [],
      "campaign.yaml campaigns.user_personalization.item_exploration_config": {},
    },
    problems:
      "campaign.yaml campaigns.user_personalization.item_exploration_config is for aws-user-personalization only: solution.yaml names aws-popularity-count",
  },
  {
    rule: "a parameter is spelt correctly, or the error names the right one",

    bad: { "solution.yaml recipes.user_personalization.parameters[0].name": "hiden_dimension" },
    problems:
      'solution.yaml recipes.user_personalization.parameters[0].name "hiden_dimension" is not a parameter of aws-user-personalization: did you mean "hidden_dimension"?',
  },
  {
    rule: "a parameter is within the recipe's limits",
    good: { "solution.yaml recipes.user_personalization.parameters[0].value": 256 },
    bad: { "solution.yaml recipes.user_personalization.parameters[0].value": 257 },
    problems:
      "solution.yaml recipes.user_personalization.parameters[0].value must be an integer from 32 to 256 for hidden_dimension of aws-user-personalization, got 257",
  },
  {
    rule: "a parameter has the right type",
    good: { "solution.yaml recipes.user_personalization.parameters[0]": { name: "recency_mask", value: true } },
    bad: { "solution.yaml recipes.user_personalization.parameters[0]": { name: "recency_mask", value: 1 } },
    problems:
      "solution.yaml recipes.user_personalization.parameters[0].value must be true or false for recency_mask of aws-user-personalization, got 1",
  },
  {
    rule: "a parameter appears once",
    good: { "solution.yaml recipes.user_personalization.parameters[1]": { name: "bptt", value: 2 } },
    bad: { "solution.yaml recipes.user_personalization.parameters[1]": { name: "hidden_dimension", value: 32 } },
    problems: 'solution.yaml recipes.user_personalization.parameters[1].name "hidden_dimension" appears twice',
  },
  {
    rule: "an excluded column is in the schema",
    good: { "solution.yaml recipes.user_personalization.excluded_dataset_columns[0].value": ["AGE", "GENDER"] },
    bad: { "solution.yaml recipes.user_personalization.excluded_dataset_columns[0].value": ["AGE", "GENDRE"] },
    problems:
      'solution.yaml recipes.user_personalization.excluded_dataset_columns[0].value[1] "GENDRE" is not in the user schema: did you mean "GENDER"?',
  },
  {
    rule: "an excluded column is not one that training needs",

    bad: {
      "solution.yaml recipes.user_personalization.excluded_dataset_columns": [
        { name: "Interaction", value: ["TIMESTAMP", "EVENT_TYPE", "EVENT_VALUE", "IMPRESSION"] },
        { name: "Item", value: ["ITEM_ID"] },
      ],
    },
    problems: [
      '[0].value[0] "TIMESTAMP" is required for training and cannot be excluded',
      '[0].value[1] "EVENT_TYPE" cannot be excluded: target_event_type needs it',
      '[0].value[2] "EVENT_VALUE" cannot be excluded: event_value_threshold needs it',
      '[1].value[0] "ITEM_ID" is required for training and cannot be excluded',
    ].map((problem) => `solution.yaml recipes.user_personalization.excluded_dataset_columns${problem}`),
  },
  {
    rule: "a dataset's excluded columns are in one entry",
    good: {
      "solution.yaml recipes.user_personalization.excluded_dataset_columns[1]": { name: "Item", value: ["AUTHOR"] },
    },
    bad: { "solution.yaml recipes.user_personalization.excluded_dataset_columns[1]": { name: "User", value: ["AGE"] } },
    problems:
      'solution.yaml recipes.user_personalization.excluded_dataset_columns[1].name "User" appears twice: join it with excluded_dataset_columns[0]',
  },
  {
    rule: "a filter's name appears once",
    good: { "filter.yaml filters[1].name": "categories" },
    bad: { "filter.yaml filters[1].name": "category" },
    problems: 'filter.yaml filters[1].name "category" appears twice: see filters[0]',
  },
  {
    rule: "a placeholder is well-formed",
    good: filter("INCLUDE ItemID WHERE Items.CATEGORIES IN ($A_1)"),
    bad: filter("INCLUDE ItemID WHERE Items.CATEGORIES IN ($)"),
    problems:
      'filter.yaml filters[0].expression a placeholder is $ and 1 to 50 letters, digits or underscores, got "$" (at position 43)',
  },
  {
    rule: "an expression follows the filter language",
    good: filter('EXCLUDE ItemID WHERE Items.CATEGORIES IN ("a") IF CurrentUser.AGE > 18'),
    bad: filter("INCLUDE ItemID WHERE Items.CATEGORIES"),
    problems:
      "filter.yaml filters[0].expression expected IN, NOT IN, =, !=, <, <=, > or >=, got the end of the expression (at position 38)",
  },
  {
    rule: "an expression uses fields of the schemas",
    good: filter(inColumn("AUTHOR")),
    bad: filter(inColumn("AUTOR")),
    problems:
      "filter.yaml filters[0].expression Items.AUTOR is not in the schema, which has IS_ACTIVE, TEXTUAL_FIELD, ITEM_ID, AUTHOR, CATEGORIES (at position 22)",
  },
  {
    rule: "the filters use at most 20 distinct fields together",
    good: {
      ...moreItemColumns(example, 20),
      ...filters(...Array.from({ length: 20 }, (_, index) => inColumn(`C${index + 1}`))),
    },
    bad: {
      ...moreItemColumns(example, 21),
      ...filters(
        ...Array.from({ length: 19 }, (_, index) => inColumn(`C${index + 1}`)),
        `${inColumn("C20")} | ${inColumn("C21")}`,
      ),
    },
    problems: `filter.yaml filters use 21 distinct fields together (${Array.from({ length: 21 }, (_, index) => `ITEMS.C${index + 1}`).join(", ")}): Personalize takes 20`,
  },
  {
    rule: "an expression has at most 25 placeholders",
    good: filter(`INCLUDE ItemID WHERE Items.AUTHOR IN (${placeholders(25)})`),
    bad: filter(`INCLUDE ItemID WHERE Items.AUTHOR IN (${placeholders(26)})`),
    problems: "filter.yaml filters[0].expression has 26 placeholders: Personalize takes 25",
  },
];

function placeholders(count: number): string {
  return Array.from({ length: count }, (_, index) => `$P${index}`).join(", ");
}

testRules(test, example, RULES);

test("a filter is not blamed for a broken schema", () => {
  const files = { ...changed(example, "filter.yaml", ["filters", 0, "expression"], inColumn("NOPE")), [ITEM]: "{" };
  assert.equal(
    problemsOf(files).map(({ file }) => file),
    ["conf/schema/item_schema.json"],
  );
});

test.run();
