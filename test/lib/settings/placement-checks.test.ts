import { suite } from "../../suite.ts";
import { filledExample } from "./example.ts";
import { type Changes, testRules } from "./rules.ts";

const test = suite("checks of placements");

const example = filledExample();

const HOME = { name: "home", recipe: "user_personalization" };
const filter = { name: "category", values: { CATEGORY: "Travel" } };
const promotion = { name: "travel", filter, percent: 60 };
const promotions = (percent: number, ...names: string[]) => ({
  promotions: names.map((name) => ({ ...promotion, name, percent })),
});
/** An experiment with variants named after the keys. */
const variants = (...list: [name: string, more: object][]) => ({
  experiment: { name: "e", variants: list.map(([name, more]) => ({ name, share: 0.5, ...more })) },
});
const at = "recommendation.yaml placements[0]";

const placements = (...settings: object[]): Changes => ({
  "recommendation.yaml placements": settings.map((own) => ({ ...HOME, ...own })),
});
const keys = (key: object): Changes => ({ "api.yaml keys": [{ name: "page", endpoints: ["recommend"], ...key }] });

testRules(test, example, [
  {
    rule: "placements, promotions and variants have names of their own",
    good: placements({}, { name: "basket", ...promotions(50, "travel", "b") }),
    bad: placements(promotions(1, "travel", "travel"), variants(["a", {}], ["a", { share: 0.6 }])),
    problems: [
      `${at}.promotions[1].name "travel" appears twice: see promotions[0]`,
      'recommendation.yaml placements[1].name "home" appears twice: see placements[0]',
      "recommendation.yaml placements[1].experiment.variants have shares that sum to 1.1, more than 1",
      'recommendation.yaml placements[1].experiment.variants[1].name "a" appears twice: see variants[0]',
    ],
  },
  {
    rule: "recipes, filters and columns exist, and the filters get their values",
    good: placements({ filter, fallback: [{ list: "category_popular", column: "CATEGORIES" }] }),
    bad: {
      "solution.yaml recipes.user_personalization": undefined,
      "campaign.yaml campaigns.user_personalization": undefined,
      ...placements({
        filter: { name: "nothing" },
        promotions: [{ ...promotion, filter: { name: "category", values: { OTHER: "a" } } }],
        diversity: { category: { column: "GENRE", most: 1 } },
        fallback: [{ list: "newest" }, { list: "items", item_ids: ["B1", "B1"] }],
        fields: ["ITEM_ID", "PRICE"],
      }),
    },
    problems: [
      `${at}.recipe "user_personalization" is not in recipes of solution.yaml: add it there, or set engine: built_in`,
      `${at}.filter.name "nothing" is not in filters of filter.yaml`,
      `${at}.promotions[0].filter.values.CATEGORY is missing: "category" needs it`,
      `${at}.promotions[0].filter.values.OTHER is not a placeholder of "category": it has "CATEGORY"`,
      `${at}.diversity.category.column "GENRE" is not a column of the items: "ITEM_ID", "TITLE", "AUTHOR" and "CATEGORIES" are`,
      `${at}.fallback[0] needs the field CREATION_TIMESTAMP in the schema of the items`,
      `${at}.fallback[1].item_ids[1] "B1" appears twice`,
      `${at}.fields[1] "PRICE" is not a column of the items: "ITEM_ID", "TITLE", "AUTHOR" and "CATEGORIES" are`,
    ],
  },
  {
    rule: "a variant is checked as its placement is",
    good: placements({ promotions: [promotion], ...variants(["a", {}], ["b", { settings: { filter } }]) }),
    bad: placements(
      variants(
        ["a", { settings: promotions(60, "travel", "b") }],
        ["b", { settings: { filter: { name: "not_purchased" }, promotions: [promotion] } }],
      ),
    ),
    problems: [
      `${at}.experiment.variants[0].settings.promotions have shares that sum to 120 percent, more than 100`,
      `${at}.experiment.variants[1].settings.promotions[0].filter reads no past events, as "not_purchased" of the placement does, and Personalize applies one filter to an item: name a filter with both conditions`,
    ],
  },
  {
    rule: "a placement has something to recommend",
    good: placements({ recipe: undefined, fallback: [{ list: "popular" }] }),
    bad: { "recommendation.yaml placements": [{ name: "home", fallback: [] }] },
    problems: `${at}.fallback is empty, and there is no recipe: the list would always be empty`,
  },
  {
    rule: "the built-in engine has a recipe, not necessarily of solution.yaml, and no filter on past events",
    good: placements({ engine: "built_in" }),
    bad: placements({ engine: "built_in", filter: { name: "not_purchased" } }),
    problems: `${at}.filter "not_purchased" reads past events, which only Personalize can: name another filter`,
  },
  {
    rule: "the built-in engine needs a recipe",
    good: placements({ engine: "built_in" }),
    bad: placements({ engine: "built_in", recipe: undefined }),
    problems: `${at}.engine needs a recipe: user_personalization or similar_items`,
  },
  {
    rule: "the placements of a key exist, and it may ask for them",
    good: { ...placements({}), ...keys({ placements: ["home"], user_history: false }) },
    bad: { ...placements({}), ...keys({ endpoints: ["ingest"], placements: ["home", "page"], user_history: true }) },
    problems: [
      "api.yaml keys[0].placements has no effect: the key lacks the endpoint recommend",
      'api.yaml keys[0].placements[1] "page" is not in placements of recommendation.yaml',
      "api.yaml keys[0].user_history has no effect: the key lacks the endpoint recommend",
    ],
  },
]);

test.run();
