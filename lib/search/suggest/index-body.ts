/** The longest indexed word prefix. Longer typed words are cut to it. */
const LONGEST = 20;

const words = { type: "custom", tokenizer: "standard" } as const;

/**
 * The body of a suggestions index. Its segments are sorted by weight, so that a search for the heaviest ends after the
 * first few hits of each segment.
 */
export const SUGGESTIONS_BODY = {
  settings: {
    index: {
      hidden: true,
      number_of_shards: 1,
      auto_expand_replicas: "0-1",
      refresh_interval: "-1",
      "sort.field": ["weight"],
      "sort.order": ["desc"],
    },
    analysis: {
      filter: {
        beginnings: { type: "edge_ngram", min_gram: 1, max_gram: LONGEST },
        cut: { type: "truncate", length: LONGEST },
      },
      analyzer: {
        beginnings: { ...words, filter: ["lowercase", "asciifolding", "beginnings"] },
        typed: { ...words, filter: ["lowercase", "asciifolding", "cut"] },
      },
    },
  },
  mappings: {
    dynamic: false,
    properties: {
      text: {
        type: "text",
        analyzer: "beginnings",
        search_analyzer: "typed",
        index_options: "docs",
        norms: false,
        fields: { words: { type: "text", analyzer: "typed", index_options: "docs", norms: false } },
      },
      source: { type: "keyword" },
      weight: { type: "float" },
      // Titles with values of filter_fields are repeated for each combination of values; the key is that of their text.
      values: { type: "keyword" },
      key: { type: "keyword" },
    },
  },
} as const;
