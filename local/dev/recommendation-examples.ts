import type { RecipeKind } from "../../lib/config/recipes.ts";
import type { Example } from "./examples.ts";

/** Ids that the data has. */
export interface SampleIds {
  userId: string;
  itemIds: readonly string[];
  /** Of the first item. */
  category: string | undefined;
}

/** Filter of the demo's configuration that the examples use. */
const CATEGORY_FILTER = "category";

/** A request for each trained recipe that works on the data; the first one filters where the demo's filter is there. */
export function recommendationExamples(
  trained: readonly RecipeKind[],
  sample: SampleIds,
  filters: readonly { name: string }[],
): Example[] {
  const [item_id = ""] = sample.itemIds;
  const filter =
    sample.category !== undefined && filters.some(({ name }) => name === CATEGORY_FILTER)
      ? { filter_name: CATEGORY_FILTER, filter_value_dict: { CATEGORY: quoted(sample.category) } }
      : NO_FILTER;
  const examples: Readonly<Record<RecipeKind, Example>> = {
    user_personalization: {
      title: filter === NO_FILTER ? "items for a user" : `items for a user, of the category ${sample.category}`,
      path: "/recommend-items-to-user",
      body: { user_id: sample.userId, limit: 5, ...filter },
    },
    similar_items: {
      title: "items like an item",
      path: "/recommend-items-to-item",
      body: { item_id, limit: 5, ...NO_FILTER },
    },
    personalized_ranking: {
      title: "given items in a user's order",
      path: "/rank-items-to-user",
      body: { user_id: sample.userId, item_ids: sample.itemIds },
    },
  };
  return trained.map((recipe) => examples[recipe]);
}

/** A search whose hits are ranked for a user by the campaign that the gateway's configuration names. */
export function personalizedSearchExample(userId: string, index: string): Example {
  return {
    title: "search, the best hits in the user's order",
    path: "/application/search",
    body: {
      index,
      user_id: userId,
      business_rules: { is_personalized_enabled: true },
      search_request: { size: 3, _source: ["title", "author"], query: { match: { description: "letter sea" } } },
    },
  };
}

const NO_FILTER = { filter_name: "", filter_value_dict: {} } as const;

/** A value with a comma goes in double quotes; else it would be several. */
const quoted = (value: string) => (value.includes(",") ? `"${value}"` : value);
