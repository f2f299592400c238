import type { Rule } from "./rules.ts";

/** Rules about suggestions and passages of an index. */
export const ADDITIONS: readonly Rule[] = [
  {
    rule: "suggestions come from something, and are those of one index",
    good: { "hybrid_search.yaml hybrid_queries[0].suggest": { titles: { field: "title" } } },
    bad: {
      "hybrid_search.yaml hybrid_queries[0].suggest": { never: ["damn"] },
      "hybrid_search.yaml hybrid_queries[0].index": "products-*",
    },
    problems: [
      "hybrid_search.yaml hybrid_queries[0].suggest suggests nothing: add titles, searches or both",
      "hybrid_search.yaml hybrid_queries[0].suggest needs the name of one index, and products-* stands for several",
    ],
  },
  {
    rule: "the names of an index's suggestions fit into those that the cluster takes",
    good: { "hybrid_search.yaml hybrid_queries[0].index": "p".repeat(200) },
    bad: { "hybrid_search.yaml hybrid_queries[0].index": "p".repeat(201) },
    problems: "hybrid_search.yaml hybrid_queries[0].suggest needs an index whose name has at most 200 characters",
  },
  {
    rule: "passages overlap by half at most, and fit the model",
    good: { "hybrid_search.yaml hybrid_queries[0].embedding_mappings[1].chunking": {} },
    bad: {
      "hybrid_search.yaml hybrid_queries[0].embedding_mappings[1].chunking": { tokens: 500, overlap: 300 },
      "hybrid_search.yaml hybrid_queries[0].embedding_mappings[0].chunking": {},
    },
    problems: [
      "hybrid_search.yaml hybrid_queries[0].embedding_mappings[1].chunking.tokens must be at most 450: sparse_v3 reads 512 tokens, and the number is an estimate",
      "hybrid_search.yaml hybrid_queries[0].embedding_mappings[1].chunking.overlap must be at most half of tokens: 250",
      'hybrid_search.yaml hybrid_queries[0].variety.similarity.field "description_dense" has a vector for each passage, so documents cannot be compared by it; name another field',
    ],
  },
];
