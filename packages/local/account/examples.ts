import { semanticSchema } from "@relevance/lib/search/index/semantic-schema.ts";
import type { Configuration } from "@relevance/lib/settings/configuration.ts";
import { MODELS } from "@relevance/lib/settings/embedding-models.ts";
import { curlCommand, type Example } from "../dev/examples.ts";

const TEXT = "letters from a sunken ship";

/**
 * Returns curl commands that create an index, store a document and find it, in the first index of hybrid_search.yaml.
 * They work with any configuration, because they use its own fields. Empty without a search gateway with embeddings.
 */
export function gatewayExamples({ searchGateway }: Configuration, url: string, key: string): string[] {
  const [entry] = searchGateway?.hybridQueries ?? [];
  if (!searchGateway || !entry) return [];
  const index = entry.index.replace(/\*$/, "try");
  const fields = [...new Set(entry.embedding_mappings.flatMap(({ src_fields }) => src_fields))];
  const [field = ""] = fields;
  const { schema } = semanticSchema({
    entries: searchGateway.hybridQueries,
    models: searchGateway.models,
    index,
    base: { mappings: { properties: Object.fromEntries(fields.map((name) => [name, { type: "text" }])) } },
    source: "the example",
  });
  const subqueries = entry.embedding_mappings.map(({ embedding_field, model_name }) =>
    MODELS[model_name].kind === "sparse"
      ? { bool: { should: `[${embedding_field}]` } }
      : { knn: { [embedding_field]: { vector: `[${embedding_field}]`, k: 50 } } },
  );
  const doc = Object.fromEntries(
    fields.map((name) => [name, "A lighthouse keeper finds a letter from a ship that sank."]),
  );
  const query = { match: { [field]: TEXT } };
  const shown: Example[] = [
    { title: "make an index", method: "PUT", path: `/raw-backend/${index}`, body: schema },
    {
      title: "store a document (the gateway computes its embeddings)",
      path: "/application/bulk",
      // Waits for the refresh, so that pasting all commands at once also finds the document.
      body: { index, refresh: "wait_for", bulk_request: [{ id: "1", op: "index", doc }] },
    },
    {
      title: "search by words",
      path: "/application/search",
      body: { index, search_request: { _source: fields, query } },
    },
    {
      title: "search by words and by meaning",
      path: "/application/hybrid-search",
      body: {
        index,
        search_query: TEXT,
        search_request_template: {
          _source: fields,
          query: { hybrid: { queries: [query, ...subqueries.slice(0, 4)] } },
        },
      },
    },
  ];
  return shown.flatMap((example) => [`# ${example.title}`, curlCommand(url, key, example), ""]);
}
