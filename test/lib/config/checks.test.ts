import { suite } from "../../suite.ts";
import { fullExample } from "./example.ts";
import { type Change, type Rule, testRules } from "./rules.ts";

const test = suite("checks across keys and files");

const full = fullExample();

const template = (name: string) => ({
  name,
  search_request_template: { query: { hybrid: { queries: [{ match: { title: "[params.text]" } }] } } },
});
const DENSE = "dense_large_en_v1_5";
const OWN = { initial_instance_count: 1, instance_type: "ml.g5.xlarge", model_id: "intfloat/e5-small-v2" };

const RULES: readonly Rule[] = [
  {
    rule: "vpc and opensearch come together",
    good: [
      ["project.yaml", ["vpc"], undefined],
      ["project.yaml", ["opensearch"], undefined],
    ],
    bad: [["project.yaml", ["vpc"], undefined]],
    problems: ["conf/project.yaml vpc is missing: the search gateway needs it beside opensearch"],
  },
  {
    rule: "opensearch comes with vpc",
    good: [],
    bad: [["project.yaml", ["opensearch"], undefined]],
    problems: ["conf/project.yaml opensearch is missing: the search gateway needs it beside vpc"],
  },
  {
    rule: "at least one service is enabled",
    good: [["project.yaml", ["personalize"], undefined]],
    bad: [
      ["project.yaml", ["vpc"], undefined],
      ["project.yaml", ["opensearch"], undefined],
      ["project.yaml", ["personalize"], undefined],
    ],
    problems: [
      'conf/project.yaml  enables no service: "vpc" and "opensearch" enable the search gateway, "personalize" the recommendation service',
    ],
  },
  {
    rule: "domain_name_system is there, or null",
    good: [["api.yaml", ["domain_name_system"], null]],
    bad: [["api.yaml", ["domain_name_system"], undefined]],
    problems: [
      "conf/api.yaml domain_name_system is missing: the search gateway needs it (null leaves the API at its execute-api URL)",
    ],
  },
  {
    rule: "a key is of the project's region",
    good: [],
    bad: [["project.yaml", ["aws", "kms_key_arn"], "arn:aws:kms:us-east-1:123456789012:key/0a1b"]],
    problems: ["conf/project.yaml aws.kms_key_arn is of region us-east-1; aws.region_name is eu-west-1"],
  },
  {
    rule: "alarms.rules names alarms",
    good: [["project.yaml", ["alarms", "rules"], { "model-sparse-v3-latency": { threshold: 5 } }]],
    bad: [["project.yaml", ["alarms", "rules"], { "search-gateway-p9": { threshold: 5 } }]],
    problems: ['conf/project.yaml alarms.rules.search-gateway-p9 is not an alarm: did you mean "search-gateway-p99"?'],
  },
  {
    rule: "events are kept longer than training reads",
    good: [["project.yaml", ["personalize", "event_retention_days"], 366]],
    bad: [["project.yaml", ["personalize", "event_retention_days"], 365]],
    problems: [
      "conf/project.yaml personalize.event_retention_days must be more than log_lookback_days (365), got 365: training reads events that old",
    ],
  },
  {
    rule: "a key has a name of its own",
    good: [
      [
        "api.yaml",
        ["keys"],
        [
          { name: "shop", endpoints: ["search"] },
          { name: "loader", endpoints: ["bulk"] },
        ],
      ],
    ],
    bad: [
      [
        "api.yaml",
        ["keys"],
        [
          { name: "shop", endpoints: ["search"] },
          { name: "shop", endpoints: ["bulk"] },
        ],
      ],
    ],
    problems: ['conf/api.yaml keys[1].name "shop" is there twice'],
  },
  {
    rule: "a private API has no host name",
    good: [],
    bad: [["api.yaml", ["private_api"], { vpc_endpoint_ids: ["vpce-0a1b2c3d4e5f67890"] }]],
    problems: [
      "conf/api.yaml private_api excludes domain_name_system: a private API has no host name of one's own here",
      "conf/api.yaml private_api excludes recommendation_domain_name: a private API has no host name of one's own here",
    ],
  },
  {
    rule: "execute_api_url is false only with a host name",
    good: [["api.yaml", ["domain_name_system"], null]],
    bad: [
      ["api.yaml", ["domain_name_system"], null],
      ["api.yaml", ["recommendation_domain_name"], undefined],
    ],
    problems: ["conf/api.yaml execute_api_url is false, but no API has a host name: nothing could call them"],
  },
  {
    rule: "provisioned concurrency of the recommendation service is within the reserved",
    good: [],
    bad: [["api.yaml", ["reserved_concurrency", "recommendation_api"], 4]],
    problems: [
      "conf/api.yaml provisioned_concurrency.recommendation_api.max_capacity must be at most reserved_concurrency.recommendation_api (4), got 5",
    ],
  },
  {
    rule: "a certificate is of the project's region",
    good: [],
    bad: [["api.yaml", ["domain_name_system", "certificate_arn"], "arn:aws:acm:us-east-1:123456789012:certificate/a"]],
    problems: ["conf/api.yaml domain_name_system.certificate_arn is of region us-east-1; aws.region_name is eu-west-1"],
  },
  {
    rule: "a certificate is of the project's account",
    good: [["project.yaml", ["aws", "account_id"], undefined]],
    bad: [["api.yaml", ["domain_name_system", "certificate_arn"], "arn:aws:acm:eu-west-1:000000000001:certificate/a"]],
    problems: [
      "conf/api.yaml domain_name_system.certificate_arn is of account 000000000001; aws.account_id is 123456789012",
    ],
  },
  {
    rule: "a campaign is of the project's region",
    good: [],
    bad: [
      ["api.yaml", ["personalized_ranking", "campaign_arn"], "arn:aws:personalize:eu-west-2:123456789012:campaign/c"],
    ],
    problems: ["conf/api.yaml personalized_ranking.campaign_arn is of region eu-west-2; aws.region_name is eu-west-1"],
  },
  {
    rule: "a secret is of the project's region, but may be of another account",
    good: [
      [
        "project.yaml",
        ["opensearch", "auth", "master_user_secret_arn"],
        "arn:aws:secretsmanager:eu-west-1:000000000001:secret:s",
      ],
    ],
    bad: [
      [
        "project.yaml",
        ["opensearch", "auth", "master_user_secret_arn"],
        "arn:aws:secretsmanager:eu-west-2:123456789012:secret:s",
      ],
    ],
    problems: [
      "conf/project.yaml opensearch.auth.master_user_secret_arn is of region eu-west-2; aws.region_name is eu-west-1",
    ],
  },
  {
    rule: "an ARN is of the region's partition",
    good: [],
    bad: [
      ["api.yaml", ["domain_name_system", "certificate_arn"], "arn:aws-cn:acm:eu-west-1:123456789012:certificate/a"],
    ],
    problems: [
      "conf/api.yaml domain_name_system.certificate_arn is of partition aws-cn; region eu-west-1 is of partition aws",
    ],
  },
  {
    rule: "the domain's address is of the project's region",
    good: [["project.yaml", ["opensearch", "domain"], "https://search.internal.example.org"]],
    bad: [["project.yaml", ["opensearch", "domain"], "vpc-books-x.us-east-1.es.amazonaws.com"]],
    problems: ["conf/project.yaml opensearch.domain is of region us-east-1; aws.region_name is eu-west-1"],
  },
  {
    rule: "the cluster's minimum is at most its maximum",
    good: [["project.yaml", ["opensearch", "auto_scaling", "min_instance_count"], 6]],
    bad: [["project.yaml", ["opensearch", "auto_scaling", "min_instance_count"], 7]],
    problems: [
      "conf/project.yaml opensearch.auto_scaling.min_instance_count must be at most max_instance_count (6), got 7",
    ],
  },
  {
    rule: "scale_down is below scale_up",
    good: [["project.yaml", ["opensearch", "auto_scaling", "scale_down_cpu_util_threshold"], 69]],
    bad: [["project.yaml", ["opensearch", "auto_scaling", "scale_down_cpu_util_threshold"], 70]],
    problems: [
      "conf/project.yaml opensearch.auto_scaling.scale_down_cpu_util_threshold must be below scale_up_cpu_util_threshold (70), got 70",
    ],
  },
  ...(["api_router", "log_handler"] as const).map((name) => ({
    rule: `${name}'s minimum is at most its maximum`,
    good: [["api.yaml", ["provisioned_concurrency", name, "min_capacity"], 2]] satisfies Change[],
    bad: [["api.yaml", ["provisioned_concurrency", name, "min_capacity"], 9]] satisfies Change[],
    problems: [
      `conf/api.yaml provisioned_concurrency.${name}.min_capacity must be at most max_capacity (${name === "api_router" ? 5 : 2}), got 9`,
    ],
  })),
  {
    rule: "provisioned concurrency fits into the reserved one",
    good: [["api.yaml", ["reserved_concurrency", "api_router"], 5]],
    bad: [["api.yaml", ["reserved_concurrency", "api_router"], 4]],
    problems: [
      "conf/api.yaml provisioned_concurrency.api_router.max_capacity must be at most reserved_concurrency.api_router (4), got 5",
    ],
  },
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
    rule: "origins are * alone, or without it",
    good: [["api.yaml", ["cors", "allow_origins"], ["*"]]],
    bad: [["api.yaml", ["cors", "allow_origins"], ["*", "https://a.example.org", "https://a.example.org"]]],
    problems: [
      'conf/api.yaml cors.allow_origins must be "*" alone, or origins without it',
      'conf/api.yaml cors.allow_origins[2] "https://a.example.org" is there twice',
    ],
  },
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
