import type { RecipeKind } from "../../lib/config/recipes.ts";
import type { Example } from "./examples.ts";

/** IDs that exist in the data. */
export interface SampleIds {
  userId: string;
  itemIds: readonly string[];
  /** Category of the first item. */
  category: string | undefined;
}

/** The filter of the demo's configuration that the examples use. */
const CATEGORY_FILTER = "category";

/** Returns one working request per trained recipe. The one for users uses the demo's filter if it is configured. */
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
      title: "items similar to an item",
      path: "/recommend-items-to-item",
      body: { item_id, limit: 5, ...NO_FILTER },
    },
    personalized_ranking: {
      title: "given items, ranked for a user",
      path: "/rank-items-to-user",
      body: { user_id: sample.userId, item_ids: sample.itemIds },
    },
  };
  return trained.map((recipe) => examples[recipe]);
}

/** Returns a search whose hits the campaign in the gateway's configuration ranks for a user. */
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

/** Quotes a value that contains a comma. Otherwise it would count as several values. */
const quoted = (value: string) => (value.includes(",") ? `"${value}"` : value);
