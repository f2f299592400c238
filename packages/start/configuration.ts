import type { Column } from "./columns.ts";
import type { Proposal } from "./proposal.ts";

/** The fields of embeddings that an index gets. */
const DENSE = "text_dense";
const SPARSE = "text_sparse";

/** Hits that a page list reaches. */
const MOST_HITS = 960;

/** A template of hybrid_search.yaml, as far as it is written here. */
interface Template extends Readonly<Record<string, unknown>> {
  name: string;
  description: string;
  search_request_template: object;
  parameters: object[];
}

/** Configuration entries of a proposal. */
export interface Additions {
  entry: { index: string } & Readonly<Record<string, unknown>>;
  /** A search by words, and one by words and meaning. */
  templates: readonly [words: Template, meaning: Template];
  /** The key of the search page. */
  key: { name: string } & Readonly<Record<string, unknown>>;
}

/** Returns the entry, templates and key of an index. */
export function additionsOf(proposal: Proposal): Additions {
  const { index, texts, title } = proposal;
  const src_fields = texts.map(({ field }) => field);
  const templates = [wordsTemplate(proposal), meaningTemplate(proposal)] as const;
  return {
    entry: {
      index,
      embedding_mappings: [
        { embedding_field: DENSE, model_name: "dense_large_en_v1_5", src_fields },
        { embedding_field: SPARSE, model_name: "sparse_v3", src_fields },
      ],
      suggest: { titles: { field: title.field }, no_hits: "search" },
    },
    templates,
    key: {
      name: `${index}-page`,
      endpoints: ["search", "hybrid-search", "suggest", "search-events"],
      indexes: [index],
      templates: templates.map(({ name }) => name),
    },
  };
}

/** Returns the name of a facet's parameter and aggregation, as the InstantSearch client expects it. */
export const parameterOf = ({ field }: Column) => field.replaceAll(".", "_");

/** Returns how a facet is filtered: by values or by a range. */
export const facetKind = ({ type }: Column): "values" | "range" =>
  type === "double" || type === "long" || type === "date" ? "range" : "values";

function filtersOf({ facets }: Proposal): object[] {
  return facets.flatMap((column): object[] => {
    const [name, { field }] = [parameterOf(column), column];
    if (facetKind(column) === "values") return [{ when: name, terms: { [field]: `[params.${name}]` } }];
    return [
      { when: `${name}_min`, range: { [field]: { gte: `[params.${name}_min]` } } },
      { when: `${name}_max`, range: { [field]: { lte: `[params.${name}_max]` } } },
    ];
  });
}

function facetParameters({ facets }: Proposal): object[] {
  return facets.flatMap((column) => {
    const name = parameterOf(column);
    if (column.type === "boolean") return [{ name, type: "booleans", max_items: 2 }];
    if (facetKind(column) === "values") return [{ name, type: "texts", max_items: 50, max_length: 200 }];
    return [
      { name: `${name}_min`, type: "number" },
      { name: `${name}_max`, type: "number" },
    ];
  });
}

function aggregationsOf({ facets }: Proposal): Record<string, object> {
  return Object.fromEntries(
    facets.map((column) => {
      const { field } = column;
      const own = facetKind(column) === "values" ? { terms: { field, size: 30 } } : { stats: { field } };
      return [parameterOf(column), own];
    }),
  );
}

/** Returns the words of a search in the text fields, the title before the others. */
function words({ texts }: Proposal, text: string): object {
  const fields = texts.map(({ field }, place) => (place === 0 ? `${field}^3` : field));
  return { multi_match: { query: text, fields, type: "most_fields" } };
}

function wordsTemplate(proposal: Proposal): Template {
  const { index, title } = proposal;
  return {
    name: index,
    description: `Finds ${index} by words of ${proposal.texts.map(({ field }) => field).join(", ")}.`,
    search_request_template: {
      size: "[params.size]",
      from: "[params.from]",
      query: { bool: { must: [{ when: "query", ...words(proposal, "[params.query]") }], filter: filtersOf(proposal) } },
      aggs: aggregationsOf(proposal),
      highlight: { number_of_fragments: 0, fields: { [title.field]: {} } },
    },
    parameters: [
      { name: "query", type: "text", max_length: 200, role: "query" },
      ...pageParameters(),
      ...facetParameters(proposal),
    ],
  };
}

function meaningTemplate(proposal: Proposal): Template {
  const { index, title } = proposal;
  return {
    name: `${index}-meaning`,
    description: `Finds ${index} by words and by meaning.`,
    search_request_template: {
      size: "[params.size]",
      from: "[params.from]",
      query: {
        hybrid: {
          queries: [
            words(proposal, "[search_query]"),
            { knn: { [DENSE]: { vector: `[${DENSE}]`, k: 100 } } },
            { bool: { should: `[${SPARSE}]` } },
          ],
          filter: filtersOf(proposal),
        },
      },
      aggs: aggregationsOf(proposal),
      highlight: { number_of_fragments: 0, fields: { [title.field]: {} } },
    },
    parameters: [...pageParameters(), ...facetParameters(proposal)],
  };
}

const pageParameters = () => [
  { name: "size", type: "number", min: 0, max: 24, default: 12 },
  { name: "from", type: "number", min: 0, max: MOST_HITS - 10, default: 0 },
];
