import { suite } from "../../suite.ts";
import { type Rule, testRules } from "./rules.ts";
import { ADDITIONS } from "./search-additions.ts";
import { example, hybrid as template } from "./template-example.ts";

const test = suite("checks of hybrid_search.yaml and model.yaml");

const DENSE = "dense_large_en_v1_5";
const DEPLOYED = { initial_instance_count: 1, instance_type: "ml.g5.xlarge" };
const OWN = { ...DEPLOYED, model_id: "intfloat/e5-small-v2" };

const RULES: readonly Rule[] = [
  {
    rule: "an endpoint starts with at most its maximum",
    good: { "model.yaml sparse_v3.initial_instance_count": 4 },
    bad: { "model.yaml sparse_v3.initial_instance_count": 5 },
    problems: "model.yaml sparse_v3.initial_instance_count must be at most max_instance_count (4), got 5",
  },
  {
    rule: "an existing endpoint is not deployed",
    good: { "model.yaml sparse_v3": { endpoint_name: "shop-sparse", revision: "1", prune_ratio: 0.2 } },
    bad: { "model.yaml sparse_v3": { endpoint_name: "shop-sparse", instance_type: "ml.c6i.large" } },
    problems:
      "model.yaml sparse_v3.instance_type has no effect on the existing endpoint that endpoint_name names: remove one of the two",
  },
  {
    rule: "an endpoint of the project has instances",
    good: { "model.yaml sparse_v3": { initial_instance_count: 1, instance_type: "ml.c6i.large" } },
    bad: { "model.yaml sparse_v3": {} },
    problems: ["initial_instance_count", "instance_type"].map(
      (key) =>
        `model.yaml sparse_v3.${key} is missing: the project's endpoint needs it. For an existing endpoint, set endpoint_name instead`,
    ),
  },
  ...["revision", "model_data"].map((key) => ({
    rule: `a custom model has ${key} and a dimension`,
    good: { [`model.yaml ${DENSE}`]: { ...OWN, dimension: 384, [key]: key === "revision" ? "1" : "s3://models/a/" } },
    bad: { [`model.yaml ${DENSE}`]: OWN },
    problems: [
      `model.yaml ${DENSE}.dimension is missing: model_id names a model whose dimension is not known`,
      `model.yaml ${DENSE}.revision is missing: without it, or model_data, a new instance could download other files than those that embedded the stored documents`,
    ],
  })),
  {
    rule: "an endpoint for documents has instances, or exists already if that for queries does",
    good: { [`model.yaml ${DENSE}`]: { ...DEPLOYED, documents: DEPLOYED } },
    bad: { [`model.yaml ${DENSE}`]: { endpoint_name: "shop-dense", documents: DEPLOYED } },
    problems: `model.yaml ${DENSE}.documents.endpoint_name is missing: the project does not know which model the existing endpoint for queries has`,
  },
  {
    rule: "a previous model makes other vectors than the present one",
    good: { "model.yaml previous": { [DENSE]: { ...DEPLOYED, revision: "before" } } },
    bad: { "model.yaml previous": { ext_embed_english_v3: { query_concurrency: 1 } } },
    problems:
      "model.yaml previous.ext_embed_english_v3 makes the same vectors as ext_embed_english_v3: remove it, or change the present one",
  },
  {
    rule: "a previous model on an endpoint has instances",
    good: { "model.yaml previous": { [DENSE]: { endpoint_name: "shop-before" } } },
    bad: { "model.yaml previous": { [DENSE]: { ...DEPLOYED, max_instance_count: 4, initial_instance_count: 5 } } },
    problems: `model.yaml previous.${DENSE}.initial_instance_count must be at most max_instance_count (4), got 5`,
  },
  {
    rule: "templates have unique names",
    good: { "hybrid_search.yaml templates[1]": template("other") },
    bad: { "hybrid_search.yaml templates[1]": template("title_and_meaning") },
    problems: 'hybrid_search.yaml templates[1].name "title_and_meaning" appears twice: see templates[0]',
  },
  {
    rule: "a template with a hybrid query has subqueries",
    good: { "hybrid_search.yaml templates[0]": { name: "t", search_request_template: { query: { match_all: {} } } } },
    bad: {
      "hybrid_search.yaml templates[0]": { name: "t", search_request_template: { query: { hybrid: { queries: [] } } } },
    },
    problems:
      "hybrid_search.yaml templates[0].search_request_template must have query.hybrid.queries, a list of 1 to 5 subqueries",
  },
  {
    rule: "defaults of a template are for its parameters",
    good: { "hybrid_search.yaml templates[0]": { ...template("t"), params: { text: "salt" } } },
    bad: { "hybrid_search.yaml templates[0]": { ...template("t"), params: { title: "salt" } } },
    problems: 'hybrid_search.yaml templates[0].params.title is not used: the template has no "[params.title]"',
  },
  {
    rule: "an index appears once",
    good: { "hybrid_search.yaml hybrid_queries[1]": { index: "product*", embedding_mappings: [mapping()] } },
    bad: { "hybrid_search.yaml hybrid_queries[1]": { index: "products", embedding_mappings: [mapping()] } },
    problems: 'hybrid_search.yaml hybrid_queries[1].index "products" appears twice: see hybrid_queries[0]',
  },
  {
    rule: "an index whose cluster makes all embeddings says so",
    good: { "hybrid_search.yaml hybrid_queries[1]": { index: "articles", embedding_mappings: [] } },
    bad: { "hybrid_search.yaml hybrid_queries[1]": { index: "articles" } },
    problems: "hybrid_search.yaml hybrid_queries[1].embedding_mappings is missing: a list of at most 20 entries",
  },
  {
    rule: "an embedding field appears once in an index",
    good: { "hybrid_search.yaml hybrid_queries[0].embedding_mappings[1]": mapping("other") },
    bad: { "hybrid_search.yaml hybrid_queries[0].embedding_mappings[1]": mapping("description_dense") },
    problems:
      'hybrid_search.yaml hybrid_queries[0].embedding_mappings[1].embedding_field "description_dense" appears twice: see embedding_mappings[0] of this index',
  },
  {
    rule: "an embedding field is not inside another one",
    good: { "hybrid_search.yaml hybrid_queries[0].embedding_mappings[1]": mapping("description_dense2.v") },
    bad: { "hybrid_search.yaml hybrid_queries[0].embedding_mappings[1]": mapping("description_dense.v") },
    problems:
      'hybrid_search.yaml hybrid_queries[0].embedding_mappings[1].embedding_field "description_dense.v" would be inside "description_dense", which is an embedding field itself',
  },
  {
    rule: "source fields appear once, and are not embedding fields",
    good: { "hybrid_search.yaml hybrid_queries[0].embedding_mappings[0].src_fields": ["a", "b.c"] },
    bad: { "hybrid_search.yaml hybrid_queries[0].embedding_mappings[0].src_fields": ["a", "a", "description_sparse"] },
    problems: [
      'hybrid_search.yaml hybrid_queries[0].embedding_mappings[0].src_fields[1] "a" appears twice',
      'hybrid_search.yaml hybrid_queries[0].embedding_mappings[0].src_fields[2] "description_sparse" is an embedding field of this index',
    ],
  },
  {
    rule: "the kind of vectors fits the model",
    good: {
      "hybrid_search.yaml hybrid_queries[0].embedding_mappings[0].vectors": "byte",
      "hybrid_search.yaml hybrid_queries[0].embedding_mappings[1].vectors": "rank_features",
    },
    bad: {
      "hybrid_search.yaml hybrid_queries[0].embedding_mappings[0].vectors": "rank_features",
      "hybrid_search.yaml hybrid_queries[0].embedding_mappings[1].vectors": "on_disk_16x",
    },
    problems: [
      'hybrid_search.yaml hybrid_queries[0].embedding_mappings[0].vectors "rank_features" stores sparse embeddings, and dense_large_en_v1_5 makes dense ones',
      'hybrid_search.yaml hybrid_queries[0].embedding_mappings[1].vectors "on_disk_16x" stores dense embeddings, and sparse_v3 makes sparse ones',
    ],
  },
  {
    rule: "no index has sparse_vector beside dense vectors",
    good: { "hybrid_search.yaml hybrid_queries[0].embedding_mappings[1].vectors": "rank_features" },
    bad: { "hybrid_search.yaml hybrid_queries[0].embedding_mappings[1].vectors": "sparse_vector" },
    problems:
      "hybrid_search.yaml hybrid_queries[0].embedding_mappings[0].model_name makes dense embeddings, which no index can have beside sparse_vector: use rank_features, or two indexes",
  },
  {
    rule: "a request is described for an existing endpoint, with its dimension and one place for texts",
    good: [{ request: { text: "[text]" } }, { request: { in: ["[texts]"] }, batch_size: 9 }].map((protocol) => ({
      [`model.yaml ${DENSE}`]: { endpoint_name: "mine", dimension: 3, protocol },
    })),
    bad: {
      [`model.yaml ${DENSE}`]: {
        ...DEPLOYED,
        protocol: { request: { a: "[text]", b: "[text]", c: "[input_type]" }, batch_size: 2 },
      },
    },
    problems: [
      "model.yaml dense_large_en_v1_5.dimension is missing: the dimension of a model with a protocol is not known",
      "model.yaml dense_large_en_v1_5.protocol.input_types is missing: the request has [input_type]",
      "model.yaml dense_large_en_v1_5.protocol is for an existing endpoint: set endpoint_name, or remove it",
      "model.yaml dense_large_en_v1_5.protocol.request must have [texts] or [text] as a value, once",
      "model.yaml dense_large_en_v1_5.protocol.batch_size must be 1, since the request has [text]",
    ],
  },
  {
    rule: "a model of Bedrock that the gateway does not know is described",
    good: {
      "model.yaml ext_embed_bedrock": {
        model_id: "acme.embed-v1:0",
        dimension: 3,
        query_concurrency: 1,
        protocol: { request: { t: "[texts]" } },
      },
    },
    bad: { "model.yaml ext_embed_bedrock": { model_id: "acme.embed-v1:0", dimension: 3, query_concurrency: 1 } },
    problems:
      "model.yaml ext_embed_bedrock.protocol is missing: the gateway does not know the requests of acme.embed-v1:0",
  },
  {
    rule: "a model that a mapping names has a section",
    good: { "model.yaml ext_embed_english_v3": undefined },
    bad: { "model.yaml sparse_v3": undefined },
    problems:
      "hybrid_search.yaml hybrid_queries[0].embedding_mappings[1].model_name names sparse_v3, which has no section in model.yaml: add it there",
  },
  {
    rule: "a reranker of the project has files",
    good: [
      { "model.yaml reranker": { ...DEPLOYED, model_data: "s3://models/a/" } },
      { "model.yaml reranker": { endpoint_name: "shop-reranker" } },
    ],
    bad: { "model.yaml reranker": DEPLOYED },
    problems: "model.yaml reranker.model_id is missing: it names the model, unless model_data or endpoint_name is set",
  },
  {
    rule: "a reranker of the project keeps its files",
    good: { "model.yaml reranker": { ...DEPLOYED, model_id: "a/b", revision: "1" } },
    bad: { "model.yaml reranker": { ...DEPLOYED, model_id: "a/b" } },
    problems:
      "model.yaml reranker.revision is missing: without it, or model_data, a new instance could download another model than the others have",
  },
  {
    rule: "a reranker on an endpoint has a section",
    good: { "hybrid_search.yaml hybrid_queries[0].rerank.model": "reranker" },
    bad: { "hybrid_search.yaml hybrid_queries[0].rerank.model": "reranker", "model.yaml reranker": undefined },
    problems:
      "hybrid_search.yaml hybrid_queries[0].rerank.model names reranker, which has no section in model.yaml: add it there",
  },
  {
    rule: "a reranker reads text, each field once",
    good: { "hybrid_search.yaml hybrid_queries[0].rerank.fields": ["title"] },
    bad: { "hybrid_search.yaml hybrid_queries[0].rerank.fields": ["title", "description_dense", "title"] },
    problems: [
      'hybrid_search.yaml hybrid_queries[0].rerank.fields[1] "description_dense" is an embedding field; name a field with text',
      'hybrid_search.yaml hybrid_queries[0].rerank.fields[2] "title" appears twice',
    ],
  },
  {
    rule: "variety compares something",
    good: { "hybrid_search.yaml hybrid_queries[0].variety.groups": undefined },
    bad: { "hybrid_search.yaml hybrid_queries[0].variety": {} },
    problems: "hybrid_search.yaml hybrid_queries[0].variety must have groups, similarity, or both",
  },
  {
    rule: "variety compares keywords or dense vectors",
    good: { "hybrid_search.yaml hybrid_queries[0].variety.similarity.field": "brand" },
    bad: {
      "hybrid_search.yaml hybrid_queries[0].variety.groups.field": "description_dense",
      "hybrid_search.yaml hybrid_queries[0].variety.similarity.field": "description_sparse",
    },
    problems: [
      'hybrid_search.yaml hybrid_queries[0].variety.groups.field "description_dense" is an embedding field; name a keyword field',
      'hybrid_search.yaml hybrid_queries[0].variety.similarity.field "description_sparse" has sparse embeddings; name a dense or a keyword field',
    ],
  },
];

function mapping(embedding_field = "v") {
  return { embedding_field, model_name: "sparse_v3", src_fields: ["title"] };
}

testRules(test, example, [...RULES, ...ADDITIONS]);

test.run();
