import * as assert from "uvu/assert";
import { formatPath, type Path } from "../../../lib/settings/problem.ts";
import { suite } from "../../suite.ts";
import { changed, type Files, fullExample, problemsOf } from "./example.ts";

const test = suite("values of the configuration");

const full = fullExample();

const state = (key: string) => ["terraform", "state", key];
const mapping = (...path: Path) => ["hybrid_queries", 0, "embedding_mappings", 0, ...path];
const rerank = (key: string) => ["hybrid_queries", 0, "rerank", key];
const text = (length: number) => "a".repeat(length);

/** Boundary values: the last one that is accepted and the first one that is not. */
const VALUES: readonly [file: string, path: Path, accepted: unknown[], refused: unknown[]][] = [
  ["project.yaml", ["project_name"], ["ab", text(24), "a-1"], ["a", text(25), "1a", "A", "a_b", "", 7]],
  ["project.yaml", ["aws", "region_name"], ["us-gov-west-1"], ["eu-west", "EU-WEST-1", "eu-west-1a"]],
  ["project.yaml", ["aws", "account_id"], [], ["12345678901", "1234567890123", 123456789012]],
  [
    "project.yaml",
    ["aws", "tags"],
    [{}, { team: "Suche & Co".replace("&", "+") }],
    [{ team: 7 }, { "aws:x": "y" }, { x: text(257) }],
  ],
  ["project.yaml", ["aws", "lambda_runtime"], ["nodejs22.x"], ["nodejs20.x", "nodejs26.x"]],
  ["project.yaml", ["terraform", "provider"], [5, 6], [4, 7, "5", "6.25.0"]],
  ["project.yaml", state("bucket"), ["abc", text(63)], ["ab", text(64), "A-bucket", "-ab"]],
  ["project.yaml", state("key_prefix"), ["a/b"], ["/a", "a/", ""]],
  ["project.yaml", ["vpc", "vpc_id"], ["vpc-12345678"], ["vpc-1234567", "subnet-12345678", "vpc-XYZ"]],
  ["project.yaml", ["vpc", "subnet_ids"], [["subnet-12345678"]], [[], ["vpc-12345678"]]],
  ["project.yaml", ["vpc", "domain_security_group_id"], ["sg-12345678"], ["12345678"]],
  [
    "project.yaml",
    ["opensearch", "domain"],
    [
      "https://search.example.org",
      "https://search.example.org:9200/",
      "http://127.0.0.1:9200",
      "http://localhost:9200",
    ],
    [
      "http://search.example.org",
      "https://search.example.org/path",
      "https://u:p@search.example.org",
      "search",
      "a b",
      "",
    ],
  ],
  ["project.yaml", ["opensearch", "domain_name"], ["abc", text(28)], ["ab", text(29), "Abc", "1abc"]],
  [
    "project.yaml",
    ["opensearch", "auth", "master_user_secret_arn"],
    ["arn:aws:secretsmanager:eu-west-1:123456789012:secret:a/b-AbCdEf"],
    ["secret", "arn:aws:acm:eu-west-1:123456789012:certificate/a", "arn:aws:secretsmanager:eu-west-1:1:secret:a"],
  ],
  ["project.yaml", ["opensearch", "auto_scaling", "min_instance_count"], [1], [0, 1.5, "2"]],
  ["project.yaml", ["opensearch", "auto_scaling", "scale_up_cpu_util_threshold"], [100], [0, 101]],
  ["project.yaml", ["opensearch", "max_bulk_bytes"], [65_536, 104_857_600], [65_535, 104_857_601]],
  [
    "project.yaml",
    ["personalize", "etl_configure_file_path"],
    ["./etl/configure.json"],
    ["/etl/configure.json", "../x.json", "etl/x.yaml"],
  ],
  ["project.yaml", ["personalize", "force_reprocess_lookback_days"], [0, 3_650], [-1, 3_651, 0.5]],
  ["project.yaml", ["personalize", "log_lookback_days"], [1], [0]],
  ["project.yaml", ["personalize", "run_retention_days"], [1, 3_653], [0, 3_654]],
  ["project.yaml", ["personalize", "event_buffer_seconds"], [0, 900], [-1, 901, 0.5]],
  ["project.yaml", ["personalize", "ids", "refuse"], [[], ["guest", " "]], ["guest", [""], [0]]],
  ["api.yaml", ["cloud_watch_role_name"], [text(64)], [text(65), "", "a b"]],
  ["api.yaml", ["domain_name_system", "domain_name"], ["a.co"], ["example", "-a.com", "a..com", "A.com"]],
  ["api.yaml", ["domain_name_system", "sub_domain_name"], ["a", "a.b"], ["", "a.", "a_b", "https://a"]],
  [
    "api.yaml",
    ["domain_name_system", "certificate_arn"],
    [],
    ["arn:aws:iam::123456789012:server-certificate/a", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:a"],
  ],
  ["api.yaml", ["domain_name_system", "hosted_zone_id"], ["Z1"], ["/hostedzone/Z1", "z1"]],
  ["api.yaml", ["domain_name_system", "create_dns_record"], [false], ["no", "false", 0]],
  ["api.yaml", ["provisioned_concurrency", "log_handler", "min_capacity"], [1], [0]],
  ["api.yaml", ["provisioned_concurrency", "log_handler", "utilization_target"], [0.01, 1], [0, 1.01, -1, "0.8"]],
  ["api.yaml", ["reserved_concurrency", "api_router"], [5], [0]],
  ["api.yaml", ["personalized_ranking", "weight"], [0, 1], [-0.1, 1.1]],
  ["api.yaml", ["personalized_ranking", "window"], [1, 500], [0, 501]],
  ["api.yaml", ["personalized_ranking", "timeout_ms"], [50, 10_000], [49, 10_001]],
  ["api.yaml", ["personalized_ranking", "item_id_field"], ["_id", "product.id"], ["", "a b"]],
  ["api.yaml", ["personalized_ranking", "campaign_arn"], [], ["arn:aws:personalize:eu-west-1:123456789012:solution/a"]],
  ["api.yaml", ["personalized_ranking", "filter_arn"], [], ["arn:aws:personalize:eu-west-1:123456789012:campaign/a"]],
  ["api.yaml", ["raw_backend", "deny"], ["recommended", [], ["* /a*"]], ["all", true]],
  ["api.yaml", ["raw_backend", "deny", 0], ["GET /"], ["FETCH /a", "/a", "GET a"]],
  ["api.yaml", ["logging", "retention_days"], [1, 3_653], [0, 3_654]],
  ["api.yaml", ["logging", "user_id"], ["plain", "hmac", "none"], ["hashed"]],
  ["api.yaml", ["throttle", "rate_limit"], [0.5, 25_000], [0, 1_000_001]],
  ["api.yaml", ["throttle", "burst_limit"], [1, 10_000], [0, 1_000_001]],
  ["api.yaml", ["throttle", "daily_quota"], [1, 100_000_000], [0, 0.5]],
  ["api.yaml", ["cors", "allow_origins"], [["http://localhost:3000"]], [[]]],
  ["api.yaml", ["cors", "allow_origins", 0], ["*"], ["https://a.example.org/", "a.example.org"]],
  [
    "hybrid_search.yaml",
    ["hybrid_queries", 0, "index"],
    ["a", "a.b-c_1", "logs-*"],
    ["*", "A", "_a", "-a", "a,b", "a*b", "a b", ""],
  ],
  ["hybrid_search.yaml", ["hybrid_queries", 0, "embedding_mappings"], [], ["none", [null]]],
  ["hybrid_search.yaml", ["experiments", 0, "name"], ["a", "a_b-1"], ["", "A", "1a", "a b"]],
  ["hybrid_search.yaml", ["experiments", 0, "index"], ["news-*"], ["*", "a,b"]],
  ["hybrid_search.yaml", ["experiments", 0, "variants"], [], [[], [{ name: "a", share: 0.5 }]]],
  ["hybrid_search.yaml", ["experiments", 0, "variants", 0, "share"], [0.01, 0.5], [0, 1.1, "0.5"]],
  ["hybrid_search.yaml", ["hybrid_queries", 0, "candidates"], [1, 10_000], [0, 10_001]],
  ["hybrid_search.yaml", ["hybrid_queries", 0, "boost", "factors", 0, "weight"], [0, 10], [-0.1, 10.1]],
  ["hybrid_search.yaml", ["hybrid_queries", 0, "boost", "factors", 0, "missing"], [0, 1], [-0.1, 1.1]],
  ["hybrid_search.yaml", ["hybrid_queries", 0, "boost", "factors", 0, "decay", "decay"], [0.001, 0.999], [0, 1]],
  ["hybrid_search.yaml", ["hybrid_queries", 0, "boost", "factors", 0, "decay", "scale"], ["2h"], ["1y"]],
  ["hybrid_search.yaml", ["hybrid_queries", 0, "boost", "factors", 1, "number", "cap"], [0.1, 1e15], [0, 1e16]],
  ["hybrid_search.yaml", ["hybrid_queries", 0, "variety", "groups", "max"], [1, 100], [0, 101, 1.5]],
  ["hybrid_search.yaml", ["hybrid_queries", 0, "variety", "groups", "field"], ["a.b"], ["", "_id"]],
  ["hybrid_search.yaml", ["hybrid_queries", 0, "variety", "similarity", "weight"], [0, 0.5, 1], [-0.1, 1.1]],
  [
    "hybrid_search.yaml",
    rerank("model"),
    ["reranker", "amazon.rerank-v1:0", "eu.cohere.rerank-v4:0", "cohere.rerank-v3-5:0"],
    ["", "rerank", "cohere.embed-english-v3", "cohere.rerank-", "arn:aws:bedrock:eu-west-1::x"],
  ],
  ["hybrid_search.yaml", rerank("fields"), [["a.b"]], [[], "title", ["_id"]]],
  ["hybrid_search.yaml", rerank("candidates"), [1, 200], [0, 201, 1.5]],
  ["hybrid_search.yaml", rerank("timeout_ms"), [50, 20_000], [49, 20_001]],
  ["hybrid_search.yaml", rerank("min_score"), [-10, 0, 0.5], [-1_001, 1_001, "0.5"]],
  ["hybrid_search.yaml", rerank("batch_size"), [1, 100], [0, 101]],
  ["hybrid_search.yaml", rerank("by_default"), [true, false], ["no", 1]],
  [
    "hybrid_search.yaml",
    mapping("embedding_field"),
    ["v", "v-1", "a.b", text(255)],
    ["a..b", "a.", ".a", "1a", "", text(256)],
  ],
  ["hybrid_search.yaml", mapping("model_name"), ["ext_embed_english_v3"], ["dense"]],
  ["hybrid_search.yaml", mapping("src_fields"), [["a.b"]], [[], "title"]],
  [
    "hybrid_search.yaml",
    mapping("src_fields", 0),
    ["@a", "名称", "1st_line", "_a.b c", "a,b", "*", "_doc"],
    ["a..b", ".a", "a.", "", " ", "a. .b", "_id", "_source"],
  ],
  [
    "model.yaml",
    ["sparse_v3", "instance_type"],
    ["ml.g5.xlarge", "ml.m5.large"],
    ["g5.xlarge", "ml.p3.2xlarge", "ml.p5e.48xlarge", "ml.p5en.48xlarge", "ml.inf2.xlarge", "ml.c7g.large"],
  ],
  ["model.yaml", ["sparse_v3", "instance_type"], ["ml.c6i.large"], ["ml.c6i.9xlarge", "ml.c6id.large", "ml.g5.large"]],
  ["model.yaml", ["sparse_v3", "target_concurrency"], [1, 500], [0, 501, 1.5]],
  ["model.yaml", ["sparse_v3", "initial_instance_count"], [1], [0]],
  ["model.yaml", ["dense_large_en_v1_5", "query_timeout_ms"], [100, 60_000], [99, 60_001, 1.5]],
  ["model.yaml", ["sparse_v3", "document_timeout_ms"], [100, 60_000], [99, 60_001]],
  ["model.yaml", ["sparse_v3", "prune_ratio"], [0, 0.9], [-0.1, 1]],
  ["model.yaml", ["sparse_v3", "revision"], ["main"], ["", "a/b"]],
  [
    "model.yaml",
    ["sparse_v3", "model_data"],
    ["s3://a-b.c/models/", "s3://abc/a.tar.gz"],
    ["s3://abc/models", "s3://abc", "https://abc/a/", "s3://abc/a*/", "s3://A/a/"],
  ],
  ["model.yaml", ["sparse_v3", "vpc_config", "subnet_ids"], [["subnet-0a1b2c3d"]], [[], ["subnet-1"]]],
  ["model.yaml", ["sparse_v3", "vpc_config", "security_group_ids"], [["sg-0a1b2c3d"]], [[], ["sg-1"]]],
  ["model.yaml", ["dense_large_en_v1_5", "model_id"], ["a/b.c-1_x"], ["a", "a/b/c", ""]],
  ["model.yaml", ["reranker", "model_id"], ["a/b.c-1_x"], ["a", "a/b/c", ""]],
  [
    "model.yaml",
    ["ext_embed_bedrock", "model_id"],
    ["cohere.embed-v4:0", "eu.cohere.embed-v4:0", "amazon.titan-embed-text-v1", "acme.embed-v1:0"],
    ["cohere", "Cohere.embed", "cohere.embed v4", "cohere.embed-v4:new", ""],
  ],
  ["model.yaml", ["ext_embed_bedrock", "dimension"], [1, 16_000], [0, 16_001]],
  ["model.yaml", ["ext_embed_english_v3", "query_concurrency"], [1, 100], [0, 101]],
  ["solution.yaml", ["recipes", "similar_items", "event_value_threshold"], ["0", "-1.5"], [0.5, "a", ".5", ""]],
  ["solution.yaml", ["recipes", "similar_items", "target_event_type"], ["view"], ["", text(257), 7]],
  [
    "solution.yaml",
    ["event_types"],
    [["purchase", text(256)]],
    [[], "purchase", ["purchase", ""], ["purchase", text(257)]],
  ],
  ["solution.yaml", ["recipes", "similar_items", "recipe_name"], [], ["aws-user-personalization", "sims"]],
  ["solution.yaml", ["recipes", "user_personalization", "parameters", 0, "value"], [32], ["149", null]],
  ["solution.yaml", ["metric_gate", "tolerance"], [0, 1], [-0.1, 1.1]],
  [
    "solution.yaml",
    ["retraining", "schedule"],
    ["rate(1 hour)", "cron(0 3 ? * SUN *)"],
    ["daily", "rate(0 days)", "cron(0 3 * *)"],
  ],
  ["campaign.yaml", ["campaigns", "similar_items", "min_provisioned_tps"], [1, 2_000], [0, 1.5, "1"]],
  ["filter.yaml", ["filters", 0, "name"], [text(63), "a_B-1"], ["", text(64), "a b", "_a"]],
  ["filter.yaml", ["filters", 0, "expression"], [expression(2_500)], [expression(2_501), "", "   "]],
  ["filter.yaml", ["filters"], [[], filters(31)], [{}]],
];

function expression(length: number): string {
  const start = 'INCLUDE ItemID WHERE Items.AUTHOR IN ("';
  return `${start}${text(length - start.length - 2)}")`;
}

function filters(count: number) {
  return Array.from({ length: count }, (_, index) => ({ name: `f${index}`, expression: expression(60) }));
}

function problemsAt(files: Files, file: string, path: Path): string[] {
  return problemsOf(files)
    .filter((problem) => problem.file === `conf/${file}` && problem.path.startsWith(formatPath(path)))
    .map(({ message }) => message);
}

for (const [file, path, accepted, refused] of VALUES) {
  const name = `${file} ${formatPath(path)}`;
  for (const value of accepted) {
    test(`${name} takes ${JSON.stringify(value)?.slice(0, 60)}`, () => {
      assert.equal(problemsAt(changed(full, file, path, value), file, path), []);
    });
  }
  for (const value of refused) {
    test(`${name} refuses ${JSON.stringify(value)?.slice(0, 60)}`, () => {
      const messages = problemsAt(changed(full, file, path, value), file, path);
      assert.is(messages.length, 1);
      assert.match(messages[0] ?? "", /^must be .*, got /);
    });
  }
}

test("a misspelt word is reported with the nearest allowed one", () => {
  const [message] = problemsAt(changed(full, "api.yaml", ["logging", "user_id"], "plian"), "api.yaml", ["logging"]);
  assert.is(message, 'must be "plain", "hmac" or "none", got "plian" (did you mean "plain"?)');
});

test("a long value is shortened in the message", () => {
  const [message = ""] = problemsAt(changed(full, "project.yaml", ["project_name"], text(500)), "project.yaml", [
    "project_name",
  ]);
  assert.match(message, /got "a{80}…" \(500 characters\)$/);
});

test("an unknown key that resembles no other is reported with the known keys", () => {
  const problems = problemsOf(changed(full, "project.yaml", ["aws", "endpoint"], "x"));
  assert.equal(
    problems.map(({ message }) => message),
    [
      'is not a known key: the keys here are "region_name", "account_id", "tags", "lambda_runtime", "log_retention_days", "permissions_boundary_arn", "role_path" and "kms_key_arn"',
    ],
  );
});

test("a key of another variant of its section is refused", () => {
  const problems = problemsOf(changed(full, "project.yaml", ["terraform", "state", "type"], "local"));
  assert.equal(
    problems.map(({ path }) => path),
    ["bucket", "key_prefix", "region", "kms_key_id", "role_arn"].map((key) => `terraform.state.${key}`),
  );
});

test.run();
