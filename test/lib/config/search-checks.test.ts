import { suite } from "../../suite.ts";
import { changed, fullExample } from "./example.ts";
import { type Change, type Rule, testRules } from "./rules.ts";

const test = suite("checks of hybrid_search.yaml and model.yaml");

/** Rules about experiments add their own, and keys with templates have their own file. */
const full = changed(
  changed(fullExample(), "hybrid_search.yaml", ["experiments"], undefined),
  "api.yaml",
  ["keys"],
  undefined,
);

const template = (name: string) => ({
  name,
  search_request_template: { query: { hybrid: { queries: [{ match: { title: "[params.text]" } }] } } },
});
const variant = (name: string, rest: object = {}) => ({ name, share: 0.5, ...rest });
const experiment = (name: string, variants: readonly object[], index = "products") => ({ name, index, variants });
const AB = [variant("a"), variant("b")];
const EXPERIMENTS = ["hybrid_search.yaml", ["experiments"]] as const;
const DENSE = "dense_large_en_v1_5";
const DEPLOYED = { initial_instance_count: 1, instance_type: "ml.g5.xlarge" };
const OWN = { ...DEPLOYED, model_id: "intfloat/e5-small-v2" };

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
    rule: `a custom model has ${key} and a dimension`,
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
    rule: "an endpoint for documents has instances, or exists already if that for queries does",
    good: [["model.yaml", [DENSE], { ...DEPLOYED, documents: DEPLOYED }]],
    bad: [["model.yaml", [DENSE], { endpoint_name: "shop-dense", documents: DEPLOYED }]],
    problems: [
      `conf/model.yaml ${DENSE}.documents.endpoint_name is missing: the project does not know which model the existing endpoint for queries has`,
    ],
  },
  {
    rule: "a previous model makes other vectors than the present one",
    good: [["model.yaml", ["previous"], { [DENSE]: { ...DEPLOYED, revision: "before" } }]],
    bad: [["model.yaml", ["previous"], { ext_embed_english_v3: { query_concurrency: 1 } }]],
    problems: [
      "conf/model.yaml previous.ext_embed_english_v3 makes the same vectors as ext_embed_english_v3: remove it, or change the present one",
    ],
  },
  {
    rule: "a previous model on an endpoint has instances",
    good: [["model.yaml", ["previous"], { [DENSE]: { endpoint_name: "shop-before" } }]],
    bad: [["model.yaml", ["previous"], { [DENSE]: { ...DEPLOYED, max_instance_count: 4, initial_instance_count: 5 } }]],
    problems: [
      `conf/model.yaml previous.${DENSE}.initial_instance_count must be at most max_instance_count (4), got 5`,
    ],
  },
  {
    rule: "templates have unique names",
    good: [["hybrid_search.yaml", ["templates", 1], template("other")]],
    bad: [["hybrid_search.yaml", ["templates", 1], template("title_and_meaning")]],
    problems: ['conf/hybrid_search.yaml templates[1].name "title_and_meaning" appears twice: see templates[0]'],
  },
  {
    rule: "a template with a hybrid query has subqueries",
    good: [
      ["hybrid_search.yaml", ["templates", 0], { name: "t", search_request_template: { query: { match_all: {} } } }],
    ],
    bad: [
      [
        "hybrid_search.yaml",
        ["templates", 0],
        { name: "t", search_request_template: { query: { hybrid: { queries: [] } } } },
      ],
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
    rule: "experiments have unique names and indexes",
    good: [[...EXPERIMENTS, [experiment("x", AB), experiment("y", AB, "news-*")]]],
    bad: [[...EXPERIMENTS, [experiment("x", AB), experiment("x", AB)]]],
    problems: [
      'conf/hybrid_search.yaml experiments[1].name "x" appears twice: see experiments[0]',
      'conf/hybrid_search.yaml experiments[1].index "products" appears twice: see experiments[0]',
    ],
  },
  {
    rule: "variants have unique names and shares of at most 1 together",
    good: [[...EXPERIMENTS, [experiment("x", [variant("a"), variant("b", { share: 0.1 })])]]],
    bad: [[...EXPERIMENTS, [experiment("x", [variant("a"), variant("a", { share: 0.6 })])]]],
    problems: [
      "conf/hybrid_search.yaml experiments[0].variants have shares that sum to 1.1, more than 1",
      'conf/hybrid_search.yaml experiments[0].variants[1].name "a" appears twice: see variants[0]',
    ],
  },
  {
    rule: "variants combine z-scores by their arithmetic mean",
    good: [
      [
        ...EXPERIMENTS,
        [
          experiment("x", [
            variant("a", { settings: { normalization: "z_score" } }),
            variant("b", { settings: { combination: "geometric_mean" } }),
          ]),
        ],
      ],
    ],
    bad: [
      [
        ...EXPERIMENTS,
        [
          experiment("x", [
            variant("a"),
            variant("b", { settings: { normalization: "z_score", combination: "geometric_mean" } }),
          ]),
        ],
      ],
    ],
    problems: [
      "conf/hybrid_search.yaml experiments[0].variants[1].settings.combination must be arithmetic_mean with z_score",
    ],
  },
  {
    rule: "all variants name a template, or none",
    good: [
      [
        ...EXPERIMENTS,
        [
          experiment(
            "x",
            ["a", "b"].map((name) => variant(name, { template: "title_and_meaning" })),
          ),
        ],
      ],
    ],
    bad: [[...EXPERIMENTS, [experiment("x", [variant("a", { template: "nowhere" }), variant("b")])]]],
    problems: [
      "conf/hybrid_search.yaml experiments[0].variants must all name a template, or none",
      'conf/hybrid_search.yaml experiments[0].variants[0].template names "nowhere", which templates lacks',
    ],
  },
  {
    rule: "templates of an experiment are for hybrid search",
    good: [
      [
        ...EXPERIMENTS,
        [
          experiment("x", [
            variant("a", { template: "title_and_meaning" }),
            variant("b", { template: "title_and_meaning" }),
          ]),
        ],
      ],
    ],
    bad: [
      [
        "hybrid_search.yaml",
        ["templates", 1],
        { name: "words", search_request_template: { query: { match_all: {} } } },
      ],
      [...EXPERIMENTS, [experiment("x", [variant("a", { template: "words" }), variant("b", { template: "words" })])]],
    ],
    problems: ["0", "1"].map(
      (at) =>
        `conf/hybrid_search.yaml experiments[0].variants[${at}].template names "words", which is not for hybrid search`,
    ),
  },
  {
    rule: "templates of an experiment take the same parameters, so that a request fits all of them",
    good: [["hybrid_search.yaml", ["templates", 1], template("other")]],
    bad: [
      ["hybrid_search.yaml", ["templates", 1], template("other")],
      [
        ...EXPERIMENTS,
        [
          experiment(
            "x",
            ["title_and_meaning", "other"].map((name) => variant(name, { template: name })),
          ),
        ],
      ],
    ],
    problems: [
      'conf/hybrid_search.yaml experiments[0].variants[1].template "other" must take the same parameters as "title_and_meaning", with the same ones required',
    ],
  },
  {
    rule: "weights of a variant sum to 1, one for each subquery of its template",
    good: [
      [...EXPERIMENTS, [experiment("x", [variant("a"), variant("b", { settings: { weights: [0.2, 0.3, 0.5] } })])]],
    ],
    bad: [
      [
        ...EXPERIMENTS,
        [
          experiment("x", [
            variant("a", { template: "title_and_meaning", settings: { weights: [0.2, 0.3, 0.5] } }),
            variant("b", { template: "title_and_meaning", settings: { weights: [0.2, 0.3] } }),
          ]),
        ],
      ],
    ],
    problems: [
      'conf/hybrid_search.yaml experiments[0].variants[0].settings.weights must have 2 entries, one for each subquery of "title_and_meaning"',
      "conf/hybrid_search.yaml experiments[0].variants[1].settings.weights must sum to 1; the sum is 0.5",
    ],
  },
  {
    rule: "an index appears once",
    good: [["hybrid_search.yaml", ["hybrid_queries", 1], { index: "product*", embedding_mappings: [mapping()] }]],
    bad: [["hybrid_search.yaml", ["hybrid_queries", 1], { index: "products", embedding_mappings: [mapping()] }]],
    problems: ['conf/hybrid_search.yaml hybrid_queries[1].index "products" appears twice: see hybrid_queries[0]'],
  },
  {
    rule: "an embedding field appears once in an index",
    good: [["hybrid_search.yaml", ["hybrid_queries", 0, "embedding_mappings", 1], mapping("other")]],
    bad: [["hybrid_search.yaml", ["hybrid_queries", 0, "embedding_mappings", 1], mapping("description_dense")]],
    problems: [
      'conf/hybrid_search.yaml hybrid_queries[0].embedding_mappings[1].embedding_field "description_dense" appears twice: see embedding_mappings[0] of this index',
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
    rule: "source fields appear once, and are not embedding fields",
    good: [["hybrid_search.yaml", ["hybrid_queries", 0, "embedding_mappings", 0, "src_fields"], ["a", "b.c"]]],
    bad: [
      [
        "hybrid_search.yaml",
        ["hybrid_queries", 0, "embedding_mappings", 0, "src_fields"],
        ["a", "a", "description_sparse"],
      ],
    ],
    problems: [
      'conf/hybrid_search.yaml hybrid_queries[0].embedding_mappings[0].src_fields[1] "a" appears twice',
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
  {
    rule: "an experiment that interleaves has two variants",
    good: [
      [
        ...EXPERIMENTS,
        [
          {
            name: "x",
            kind: "interleave",
            index: "products",
            variants: ["a", "b"].map((name) => ({ name, share: 0.3 })),
          },
        ],
      ],
    ],
    bad: [
      [
        ...EXPERIMENTS,
        [
          {
            ...{ name: "x", kind: "interleave", index: "products" },
            variants: ["a", "b", "c"].map((name) => ({ name, share: 0.3 })),
          },
        ],
      ],
    ],
    problems: ["conf/hybrid_search.yaml experiments[0].variants must be two in an experiment that interleaves"],
  },
  {
    rule: "variety compares something",
    good: [["hybrid_search.yaml", ["hybrid_queries", 0, "variety", "groups"], undefined]],
    bad: [["hybrid_search.yaml", ["hybrid_queries", 0, "variety"], {}]],
    problems: ["conf/hybrid_search.yaml hybrid_queries[0].variety must have groups, similarity, or both"],
  },
  {
    rule: "variety compares keywords or dense vectors",
    good: [["hybrid_search.yaml", ["hybrid_queries", 0, "variety", "similarity", "field"], "brand"]],
    bad: [
      ["hybrid_search.yaml", ["hybrid_queries", 0, "variety", "groups", "field"], "description_dense"],
      ["hybrid_search.yaml", ["hybrid_queries", 0, "variety", "similarity", "field"], "description_sparse"],
    ],
    problems: [
      'conf/hybrid_search.yaml hybrid_queries[0].variety.groups.field "description_dense" is an embedding field; name a keyword field',
      'conf/hybrid_search.yaml hybrid_queries[0].variety.similarity.field "description_sparse" has sparse embeddings; name a dense or a keyword field',
    ],
  },
];

function mapping(embedding_field = "v") {
  return { embedding_field, model_name: "sparse_v3", src_fields: ["title"] };
}

testRules(test, full, RULES);

test.run();
