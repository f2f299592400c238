import { suite } from "../../suite.ts";
import { fullExample } from "./example.ts";
import { type Change, type Rule, testRules } from "./rules.ts";

const test = suite("checks of hybrid_search.yaml and model.yaml");

const full = fullExample();

const template = (name: string) => ({
  name,
  search_request_template: { query: { hybrid: { queries: [{ match: { title: "[params.text]" } }] } } },
});
const DENSE = "dense_large_en_v1_5";
const OWN = { initial_instance_count: 1, instance_type: "ml.g5.xlarge", model_id: "intfloat/e5-small-v2" };

const RULES: readonly Rule[] = [
  {
    rule: "an endpoint starts with at most its maximum",
    good: [["model.yaml", ["sparse_v3", "initial_instance_count"], 4]],
    bad: [["model.yaml", ["sparse_v3", "initial_instance_count"], 5]],
    problems: ["conf/model.yaml sparse_v3.initial_instance_count must be at most max_instance_count (4), got 5"],
  },
  {
    rule: "an existing endpoint is not deployed",
    good: [["model.yaml", ["sparse_v3"], { endpoint_name: "shop-sparse", revision: "1", prune_ratio: 0.2 }]],
    bad: [["model.yaml", ["sparse_v3"], { endpoint_name: "shop-sparse", instance_type: "ml.c6i.large" }]],
    problems: [
      "conf/model.yaml sparse_v3.instance_type has no effect on the existing endpoint that endpoint_name names: remove one of the two",
    ],
  },
  {
    rule: "an endpoint of the project has instances",
    good: [["model.yaml", ["sparse_v3"], { initial_instance_count: 1, instance_type: "ml.c6i.large" }]],
    bad: [["model.yaml", ["sparse_v3"], {}]],
    problems: ["initial_instance_count", "instance_type"].map(
      (key) =>
        `conf/model.yaml sparse_v3.${key} is missing: the project's endpoint needs it. For an existing endpoint, set endpoint_name instead`,
    ),
  },
  ...["revision", "model_data"].map((key) => ({
    rule: `a model of one's own has ${key} and a dimension`,
    good: [
      ["model.yaml", [DENSE], { ...OWN, dimension: 384, [key]: key === "revision" ? "1" : "s3://models/a/" }],
    ] as Change[],
    bad: [["model.yaml", [DENSE], OWN]] as Change[],
    problems: [
      `conf/model.yaml ${DENSE}.dimension is missing: model_id names a model whose dimension is not known`,
      `conf/model.yaml ${DENSE}.revision is missing: without it, or model_data, a new instance could download other files than those that embedded the stored documents`,
    ],
  })),
  {
    rule: "templates have names of their own",
    good: [["hybrid_search.yaml", ["templates", 1], template("other")]],
    bad: [["hybrid_search.yaml", ["templates", 1], template("title_and_meaning")]],
    problems: ['conf/hybrid_search.yaml templates[1].name "title_and_meaning" is there twice: see templates[0]'],
  },
  {
    rule: "a template holds a hybrid query",
    good: [["hybrid_search.yaml", ["templates", 0], template("t")]],
    bad: [
      ["hybrid_search.yaml", ["templates", 0], { name: "t", search_request_template: { query: { match_all: {} } } }],
    ],
    problems: [
      "conf/hybrid_search.yaml templates[0].search_request_template must have query.hybrid.queries, a list of 1 to 5 subqueries",
    ],
  },
  {
    rule: "defaults of a template are for its parameters",
    good: [["hybrid_search.yaml", ["templates", 0], { ...template("t"), params: { text: "salt" } }]],
    bad: [["hybrid_search.yaml", ["templates", 0], { ...template("t"), params: { title: "salt" } }]],
    problems: ['conf/hybrid_search.yaml templates[0].params.title is not used: the template has no "[params.title]"'],
  },
  {
    rule: "an index is there once",
    good: [["hybrid_search.yaml", ["hybrid_queries", 1], { index: "product*", embedding_mappings: [mapping()] }]],
    bad: [["hybrid_search.yaml", ["hybrid_queries", 1], { index: "products", embedding_mappings: [mapping()] }]],
    problems: ['conf/hybrid_search.yaml hybrid_queries[1].index "products" is there twice: see hybrid_queries[0]'],
  },
  {
    rule: "an embedding field is there once in an index",
    good: [["hybrid_search.yaml", ["hybrid_queries", 0, "embedding_mappings", 1], mapping("other")]],
    bad: [["hybrid_search.yaml", ["hybrid_queries", 0, "embedding_mappings", 1], mapping("description_dense")]],
    problems: [
      'conf/hybrid_search.yaml hybrid_queries[0].embedding_mappings[1].embedding_field "description_dense" is there twice: see embedding_mappings[0] of this index',
    ],
  },
  {
    rule: "an embedding field is not inside another one",
    good: [["hybrid_search.yaml", ["hybrid_queries", 0, "embedding_mappings", 1], mapping("description_dense2.v")]],
    bad: [["hybrid_search.yaml", ["hybrid_queries", 0, "embedding_mappings", 1], mapping("description_dense.v")]],
    problems: [
      'conf/hybrid_search.yaml hybrid_queries[0].embedding_mappings[1].embedding_field "description_dense.v" would be inside "description_dense", which is an embedding field itself',
    ],
  },
  {
    rule: "source fields are there once, and are no embedding fields",
    good: [["hybrid_search.yaml", ["hybrid_queries", 0, "embedding_mappings", 0, "src_fields"], ["a", "b.c"]]],
    bad: [
      [
        "hybrid_search.yaml",
        ["hybrid_queries", 0, "embedding_mappings", 0, "src_fields"],
        ["a", "a", "description_sparse"],
      ],
    ],
    problems: [
      'conf/hybrid_search.yaml hybrid_queries[0].embedding_mappings[0].src_fields[1] "a" is there twice',
      'conf/hybrid_search.yaml hybrid_queries[0].embedding_mappings[0].src_fields[2] "description_sparse" is an embedding field of this index',
    ],
  },
  {
    rule: "a model that a mapping names has a section",
    good: [["model.yaml", ["ext_embed_english_v3"], undefined]],
    bad: [["model.yaml", ["sparse_v3"], undefined]],
    problems: [
      "conf/hybrid_search.yaml hybrid_queries[0].embedding_mappings[1].model_name names sparse_v3, which has no section in model.yaml: add it there",
    ],
  },
];

function mapping(embedding_field = "v") {
  return { embedding_field, model_name: "sparse_v3", src_fields: ["title"] };
}

testRules(test, full, RULES);

test.run();
