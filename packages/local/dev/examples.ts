import type { RecipeKind } from "@relevance/lib/platform/contract/recommendation.ts";
import { MODELS } from "@relevance/lib/settings/embedding-models.ts";
import type { EmbeddingMapping } from "@relevance/lib/settings/hybrid-search.ts";
import { DEMO_INDEX } from "./demo-index.ts";

const MEANING = "how empires fall";

/** A request that the banner shows as a curl command. */
export interface Example {
  title: string;
  /** Default: POST. */
  method?: "PUT";
  path: string;
  body: unknown;
}

/**
 * Returns requests that work on the demo index: bulk, search and, if there are embeddings, hybrid search. If a schema
 * is given, the request that creates the index comes first.
 */
export function examples(mappings: readonly EmbeddingMapping[], schema?: object): Example[] {
  const index = `/raw-backend/${DEMO_INDEX}`;
  const create: Example[] = schema ? [{ title: "make an index", method: "PUT", path: index, body: schema }] : [];
  const bulk = {
    title: mappings.length > 0 ? "store a book (the gateway computes its embeddings)" : "store a book",
    path: "/application/bulk",
    body: {
      index: DEMO_INDEX,
      // Waits for the refresh, so that pasting all commands at once also finds the book.
      refresh: "wait_for",
      bulk_request: [
        {
          id: "my-book",
          op: "index",
          doc: {
            title: "The Keeper of the Lamp",
            author: "Ada Example",
            categories: ["mystery"],
            description: "A lighthouse keeper finds a letter from a ship that sank a century ago.",
            published: "2024-05-01",
            price: 12.99,
            language: "en",
            in_stock: true,
          },
        },
      ],
    },
  };
  const search = {
    title: "search by words",
    path: "/application/search",
    body: {
      index: DEMO_INDEX,
      search_request: { size: 3, _source: ["title", "author"], query: { match: { description: "letter sea" } } },
    },
  };
  const hybrid = {
    // No title has all of these words: the first embedding finds the books.
    title: "search by words and by meaning",
    path: "/application/hybrid-search",
    body: {
      index: DEMO_INDEX,
      search_query: MEANING,
      search_request_template: {
        size: 3,
        _source: ["title", "author"],
        query: {
          hybrid: {
            queries: [{ match: { title: { query: MEANING, operator: "and" } } }, ...mappings.slice(0, 1).map(subquery)],
          },
        },
      },
    },
  };
  return [...create, bulk, search, ...(mappings.length > 0 ? [hybrid] : [])];
}

function subquery({ embedding_field, model_name }: EmbeddingMapping): unknown {
  const token = `[${embedding_field}]`;
  if (MODELS[model_name].kind === "sparse") return { bool: { should: token } };
  return { knn: { [embedding_field]: { vector: token, k: 50 } } };
}

/** Returns the lines that show examples as curl commands. */
export function commandLines({ url, api_key }: { url: string; api_key: string }, shown: readonly Example[]): string[] {
  return shown.flatMap((example) => ["", `# ${example.title}`, curlCommand(url, api_key, example)]);
}

/** Returns an example as a curl command for any POSIX shell. */
export function curlCommand(url: string, apiKey: string, { method, path, body }: Example): string {
  const data = JSON.stringify(body).replaceAll("'", `'\\''`);
  return [
    `curl -s${method ? ` -X ${method}` : ""} ${url}${path}`,
    `-H 'content-type: application/json' -H 'x-api-key: ${apiKey}'`,
    `-d '${data}'`,
  ].join(" \\\n  ");
}

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
