import * as v from "valibot";
import { NAME_PATTERN } from "../personalize/limits.ts";
import { RECOMMENDING_ENGINES, RECOMMENDING_RECIPES } from "../platform/contract/recommendation.ts";
import { type About, Description, flag, integer, list, numberAbove, numeric, section, text, word } from "./kinds.ts";
import { ColumnName, Name } from "./names.ts";

/** The longest list of a placement. Diversity compares each item with all before it. */
const MAX_PLACEMENT_ITEMS = 100;

const Column = (description: string) => ColumnName(description, "the name of a column of the items");

/** As long as the ids that Personalize takes. */
const ItemId = text(/^[^|\p{Cc}]{1,256}$/u, "the id of an item", "An ITEM_ID.");

const Values = v.pipe(
  v.record(v.string(), v.string()),
  v.metadata({
    allowed: "a mapping of placeholders to text",
    description: "Values of the filter's placeholders, written as in `filter_value_dict` of a request.",
  } satisfies About),
);

const PlacementFilter = section(
  {
    name: text(NAME_PATTERN, "the name of a filter", "A filter of filter.yaml."),
    values: v.optional(Values, {}),
  },
  "A filter with fixed values.",
);

const Promotion = section(
  {
    name: Name("Name in answers with `explain`."),
    filter: PlacementFilter,
    percent: integer(1, 100, "Share of the list, in percent. It is exact as far as enough items pass the filter."),
  },
  "Items that get a share of the list, whatever their rank.",
);

const Exclude = section(
  {
    basket: v.optional(flag("Whether `context.basket_item_ids` are left out."), true),
    out_of_stock: v.optional(
      section(
        {
          column: Column("Column that says whether an item can be bought."),
          values: list(
            text(/^.{1,1000}$/u, "text of 1 to 1000 characters", "A value, written as text."),
            "Values of items that are left out.",
            { min: 1, max: 100 },
          ),
        },
        "Items that are left out by a column. Items whose record cannot be read are left out, too.",
      ),
    ),
  },
  "Items that the list never has.",
);

const Diversity = section(
  {
    category: v.optional(
      section(
        {
          column: Column("Column of the categories, joined by a vertical bar if there are several."),
          most: integer(1, MAX_PLACEMENT_ITEMS, "Most items of one category."),
        },
        "At most so many items of each category. A list that has no other items is shorter.",
      ),
    ),
    marginal_relevance: v.optional(
      section(
        {
          column: Column("Column whose values make two items alike."),
          weight: numeric(0, 1, "Weight of being different against the rank: 0 keeps the order."),
        },
        "Maximal marginal relevance: each next item is a good one that is unlike those before it.",
      ),
    ),
  },
  "How much the items differ.",
);

const Fallback = v.pipe(
  v.variant("list", [
    section(
      { list: word(["built_in"], "Recommendations of the built-in engine.") },
      "What the built-in engine recommends to the user, or to the items of the page.",
    ),
    section({ list: word(["popular"], "The most popular items.") }, "The most popular items."),
    section(
      {
        list: word(["category_popular"], "Popular items of the category."),
        column: Column("Column of the categories."),
      },
      "The most popular items of `context.category`, or of the categories of `context.item_id` or of the basket.",
    ),
    section(
      {
        list: word(["newest"], "The newest items."),
      },
      "The items with the latest CREATION_TIMESTAMP, as of the last training.",
    ),
    section(
      {
        list: word(["items"], "Chosen items."),
        item_ids: list(ItemId, "The items, best first.", { min: 1, max: 500 }),
      },
      "Items that somebody chose.",
    ),
  ]),
  v.metadata({
    allowed: "a mapping with list built_in, popular, category_popular, newest or items",
    description: "One list.",
  } satisfies About),
);

const settings = {
  recipe: v.optional(
    word(
      RECOMMENDING_RECIPES,
      "Recipe whose campaign recommends: for a user or session, or items similar to `context.item_id` or to the basket. " +
        "Default: none, the list comes from `fallback` alone.",
    ),
  ),
  engine: v.optional(
    word(
      RECOMMENDING_ENGINES,
      "What recommends: the campaign of the recipe, or the built-in engine, which costs nothing between trainings and needs " +
        "no campaign.",
    ),
    "personalize",
  ),
  filter: v.optional(PlacementFilter),
  limit: v.optional(integer(1, MAX_PLACEMENT_ITEMS, "Most items in the list."), 10),
  promotions: v.optional(list(Promotion, "Promotions; their shares sum to at most 100.", { max: 5 }), []),
  exclude: v.optional(Exclude, {}),
  diversity: v.optional(Diversity, {}),
  fallback: v.optional(
    list(Fallback, "Lists that fill up what the campaign leaves empty, in this order.", { max: 10 }),
    [{ list: "built_in" as const }, { list: "popular" as const }],
  ),
  fields: v.optional(
    list(Column("A column."), "Columns of the items in the answer. Default: all.", { min: 1, max: 110 }),
  ),
};

/** The same without defaults, which would undo what the placement says. */
const overrides = {
  recipe: settings.recipe,
  engine: v.optional(settings.engine.wrapped),
  filter: settings.filter,
  limit: v.optional(settings.limit.wrapped),
  promotions: v.optional(settings.promotions.wrapped),
  exclude: v.optional(Exclude),
  diversity: v.optional(Diversity),
  fallback: v.optional(settings.fallback.wrapped),
  fields: settings.fields,
};

const Variant = section(
  {
    name: Name("Name in answers."),
    share: numberAbove(0, 1, "Share of the visitors who get it. Others get the placement as it is."),
    settings: v.optional(section(overrides, "Settings in place of those of the placement."), {}),
  },
  "One variant.",
);

const Experiment = section(
  {
    name: Name("Name in answers. It decides who gets which variant: a new name splits anew."),
    variants: list(Variant, "The variants. The others are compared with the first.", { min: 2, max: 10 }),
  },
  "Visitors get different variants, decided by a hash of their id.",
);

const Placement = section(
  {
    name: Name("Name that requests use."),
    description: v.optional(
      Description("What it recommends and when to use it, for agents that call it as a tool. Default: its name."),
    ),
    ...settings,
    experiment: v.optional(Experiment),
  },
  "One placement.",
);

/** conf/recommendation.yaml */
export const PlacementsSchema = section(
  {
    placements: v.optional(
      list(Placement, "Places of a site with recommendations, which requests name.", { max: 100 }),
      [],
    ),
  },
  "Placements: lists of recommendations that change without a deployment.",
);

/** conf/recommendation.yaml with its defaults. */
export type Placements = v.InferOutput<typeof PlacementsSchema>;

export type Placement = Placements["placements"][number];

/** A list of the fallback chain. */
export type FallbackList = Placement["fallback"][number];

/** A filter with fixed values. */
export type PlacementFilter = v.InferOutput<typeof PlacementFilter>;
