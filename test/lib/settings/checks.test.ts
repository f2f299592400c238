import * as assert from "uvu/assert";
import { suite } from "../../suite.ts";
import { problemsOf, withoutRules } from "./example.ts";
import { type Changes, type Rule, testRules, withChanges } from "./rules.ts";

const test = suite("checks across keys and files");

const full = withoutRules();

const RULES: readonly Rule[] = [
  {
    rule: "vpc and opensearch come together",
    good: { "project.yaml vpc": undefined, "project.yaml opensearch": undefined },
    bad: { "project.yaml vpc": undefined },
    problems: "project.yaml vpc is missing: the search gateway needs it beside opensearch",
  },
  {
    rule: "opensearch comes with vpc",

    bad: { "project.yaml opensearch": undefined },
    problems: "project.yaml opensearch is missing: the search gateway needs it beside vpc",
  },
  {
    rule: "at least one service is enabled",
    good: { "project.yaml personalize": undefined },
    bad: { "project.yaml vpc": undefined, "project.yaml opensearch": undefined, "project.yaml personalize": undefined },
    problems:
      'project.yaml  enables no service: "vpc" and "opensearch" enable the search gateway, "personalize" the recommendation service',
  },
  {
    rule: "domain_name_system is set or null",
    good: { "api.yaml domain_name_system": null },
    bad: { "api.yaml domain_name_system": undefined },
    problems:
      "api.yaml domain_name_system is missing: the search gateway needs it (null leaves the API at its execute-api URL)",
  },
  {
    rule: "a key is in the project's region",

    bad: { "project.yaml aws.kms_key_arn": "arn:aws:kms:us-east-1:123456789012:key/0a1b" },
    problems: "project.yaml aws.kms_key_arn is in region us-east-1, but aws.region_name is eu-west-1",
  },
  {
    rule: "alarms.rules names alarms",
    good: { "project.yaml alarms.rules": { "model-sparse-v3-latency": { threshold: 5 } } },
    bad: { "project.yaml alarms.rules": { "search-gateway-p9": { threshold: 5 } } },
    problems: 'project.yaml alarms.rules.search-gateway-p9 is not an alarm: did you mean "search-gateway-p99"?',
  },
  {
    rule: "events are kept longer than training reads",
    good: { "project.yaml personalize.event_retention_days": 366 },
    bad: { "project.yaml personalize.event_retention_days": 365 },
    problems:
      "project.yaml personalize.event_retention_days must be more than log_lookback_days (365), got 365: training reads events that old",
  },
  {
    rule: "a key has a unique name",
    good: {
      "api.yaml keys": [
        { name: "shop", endpoints: ["search"] },
        { name: "loader", endpoints: ["bulk"] },
      ],
    },
    bad: {
      "api.yaml keys": [
        { name: "shop", endpoints: ["search"] },
        { name: "shop", endpoints: ["bulk"] },
      ],
    },
    problems: 'api.yaml keys[1].name "shop" appears twice',
  },
  {
    rule: "a private API has no host name",

    bad: { "api.yaml private_api": { vpc_endpoint_ids: ["vpce-0a1b2c3d4e5f67890"] } },
    problems: [
      "api.yaml private_api cannot be combined with domain_name_system: a private API has no host name of its own",
      "api.yaml private_api cannot be combined with recommendation_domain_name: a private API has no host name of its own",
    ],
  },
  {
    rule: "execute_api_url is false only with a host name",
    good: { "api.yaml domain_name_system": null },
    bad: { "api.yaml domain_name_system": null, "api.yaml recommendation_domain_name": undefined },
    problems: "api.yaml execute_api_url is false, but no API has a host name: nothing could call them",
  },
  {
    rule: "provisioned concurrency of the recommendation service is within its reserved concurrency",

    bad: { "api.yaml reserved_concurrency.recommendation_api": 4 },
    problems:
      "api.yaml provisioned_concurrency.recommendation_api.max_capacity must be at most reserved_concurrency.recommendation_api (4), got 5",
  },
  {
    rule: "a certificate is in the project's region",

    bad: { "api.yaml domain_name_system.certificate_arn": "arn:aws:acm:us-east-1:123456789012:certificate/a" },
    problems: "api.yaml domain_name_system.certificate_arn is in region us-east-1, but aws.region_name is eu-west-1",
  },
  {
    rule: "a certificate is in the project's account",
    good: { "project.yaml aws.account_id": undefined },
    bad: { "api.yaml domain_name_system.certificate_arn": "arn:aws:acm:eu-west-1:000000000001:certificate/a" },
    problems:
      "api.yaml domain_name_system.certificate_arn belongs to account 000000000001, but aws.account_id is 123456789012",
  },
  {
    rule: "a campaign is in the project's region",

    bad: { "api.yaml personalized_ranking.campaign_arn": "arn:aws:personalize:eu-west-2:123456789012:campaign/c" },
    problems: "api.yaml personalized_ranking.campaign_arn is in region eu-west-2, but aws.region_name is eu-west-1",
  },
  {
    rule: "a ranking's filter is in the project's region, and has a campaign",

    bad: {
      "api.yaml personalized_ranking.campaign_arn": undefined,
      "api.yaml personalized_ranking.filter_arn": "arn:aws:personalize:eu-west-2:123456789012:filter/f",
    },
    problems: [
      "api.yaml personalized_ranking.filter_arn is in region eu-west-2, but aws.region_name is eu-west-1",
      "api.yaml personalized_ranking.filter_arn needs campaign_arn, the campaign that ranks",
    ],
  },
  {
    rule: "a secret is in the project's region, but may be in another account",
    good: {
      "project.yaml opensearch.auth.master_user_secret_arn": "arn:aws:secretsmanager:eu-west-1:000000000001:secret:s",
    },
    bad: {
      "project.yaml opensearch.auth.master_user_secret_arn": "arn:aws:secretsmanager:eu-west-2:123456789012:secret:s",
    },
    problems:
      "project.yaml opensearch.auth.master_user_secret_arn is in region eu-west-2, but aws.region_name is eu-west-1",
  },
  {
    rule: "an ARN is in the region's partition",

    bad: { "api.yaml domain_name_system.certificate_arn": "arn:aws-cn:acm:eu-west-1:123456789012:certificate/a" },
    problems:
      "api.yaml domain_name_system.certificate_arn is in partition aws-cn, but region eu-west-1 is in partition aws",
  },
  {
    rule: "the domain's address is in the project's region",
    good: { "project.yaml opensearch.domain": "https://search.internal.example.org" },
    bad: { "project.yaml opensearch.domain": "vpc-books-x.us-east-1.es.amazonaws.com" },
    problems: "project.yaml opensearch.domain is in region us-east-1, but aws.region_name is eu-west-1",
  },
  {
    rule: "the cluster is a domain, not a collection of OpenSearch Serverless",
    good: { "project.yaml opensearch.domain": "vpc-books-x.eu-west-1.es.amazonaws.com" },
    bad: { "project.yaml opensearch.domain": "https://abc123.eu-west-1.aoss.amazonaws.com" },
    problems:
      "project.yaml opensearch.domain is a collection of OpenSearch Serverless, which lacks calls that the gateway needs: name a domain (docs/decisions/0067)",
  },
  {
    rule: "the cluster's minimum is at most its maximum",
    good: { "project.yaml opensearch.auto_scaling.min_instance_count": 6 },
    bad: { "project.yaml opensearch.auto_scaling.min_instance_count": 7 },
    problems: "project.yaml opensearch.auto_scaling.min_instance_count must be at most max_instance_count (6), got 7",
  },
  {
    rule: "scale_down is below scale_up",
    good: { "project.yaml opensearch.auto_scaling.scale_down_cpu_util_threshold": 69 },
    bad: { "project.yaml opensearch.auto_scaling.scale_down_cpu_util_threshold": 70 },
    problems:
      "project.yaml opensearch.auto_scaling.scale_down_cpu_util_threshold must be below scale_up_cpu_util_threshold (70), got 70",
  },
  ...(["api_router", "log_handler"] as const).map((name) => ({
    rule: `${name}'s minimum is at most its maximum`,
    good: { [`api.yaml provisioned_concurrency.${name}.min_capacity`]: 2 },
    bad: { [`api.yaml provisioned_concurrency.${name}.min_capacity`]: 9 },
    problems: `api.yaml provisioned_concurrency.${name}.min_capacity must be at most max_capacity (${name === "api_router" ? 5 : 2}), got 9`,
  })),
  {
    rule: "provisioned concurrency is within reserved concurrency",
    good: { "api.yaml reserved_concurrency.api_router": 5 },
    bad: { "api.yaml reserved_concurrency.api_router": 4 },
    problems:
      "api.yaml provisioned_concurrency.api_router.max_capacity must be at most reserved_concurrency.api_router (4), got 5",
  },
  {
    rule: "origins are either * alone or do not include it",
    good: { "api.yaml cors.allow_origins": ["*"] },
    bad: { "api.yaml cors.allow_origins": ["*", "https://a.example.org", "https://a.example.org"] },
    problems: [
      'api.yaml cors.allow_origins must be "*" alone, or origins without it',
      'api.yaml cors.allow_origins[2] "https://a.example.org" appears twice',
    ],
  },
];

testRules(test, full, RULES);

test("a region without Personalize has neither a recommendation service nor a campaign that ranks", () => {
  const of = (region: string, changes: Changes = {}) =>
    problemsOf(withChanges(full, { "project.yaml aws.region_name": region, ...changes })).flatMap(
      ({ path, message }) => (/has no Personalize/.test(message) ? [path] : []),
    );
  const none = { "project.yaml personalize": undefined };
  assert.equal(of("eu-west-3"), ["personalize"]);
  assert.equal(of("eu-west-3", none), ["personalized_ranking.campaign_arn"]);
  assert.equal(of("eu-west-3", { ...none, "api.yaml personalized_ranking": undefined }), []);
  for (const region of ["ap-northeast-2", "cn-north-1", "us-west-2"]) assert.equal(of(region), [], region);
});

test.run();
