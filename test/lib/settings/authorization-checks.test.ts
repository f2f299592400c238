import { configurationFiles } from "../../fixtures/configurations/configurations.ts";
import { suite } from "../../suite.ts";
import { type Changes, testRules } from "./rules.ts";

const test = suite("checks of authorization");

const set = (key: string, value: unknown): Changes => ({ [`api.yaml ${key}`]: value });
const IAM = set("authorization", "iam");
const LAMBDA = set("authorization", "lambda");
const AUTHORIZER = set("lambda_authorizer", {
  function_arn: "arn:aws:lambda:eu-west-1:123456789012:function:shop-authorizer",
});
const ROLE = "arn:aws:iam::123456789012:role/shop-page";
const key = (more: object) => ({ name: "shop", endpoints: ["search"], ...more });
const keys = (...more: object[]) =>
  set(
    "keys",
    more.map((one, at) => ({ ...key(one), name: `shop-${at}` })),
  );

testRules(test, configurationFiles("minimal"), [
  {
    rule: "lambda needs the authorizer",
    good: { ...LAMBDA, ...AUTHORIZER },
    bad: LAMBDA,
    problems: "api.yaml lambda_authorizer is missing: authorization is lambda",
  },
  {
    rule: "only lambda uses the authorizer",
    good: { ...LAMBDA, ...AUTHORIZER },
    bad: { ...IAM, ...AUTHORIZER },
    problems: "api.yaml lambda_authorizer has no effect: authorization is iam",
  },
  {
    rule: "the authorizer is in the project's region",
    good: { ...LAMBDA, ...AUTHORIZER },
    bad: {
      ...LAMBDA,
      ...set("lambda_authorizer", { function_arn: "arn:aws:lambda:us-east-1:123456789012:function:shop-authorizer" }),
    },
    problems: "api.yaml lambda_authorizer.function_arn is in region us-east-1, but aws.region_name is eu-west-1",
  },
  {
    rule: "principals are only for iam and lambda",
    good: { ...IAM, ...keys({ principals: [ROLE] }) },
    bad: keys({ principals: [ROLE] }),
    problems: "api.yaml keys[0].principals has no effect: authorization is api_key",
  },
  {
    rule: "with iam and lambda each key has principals",
    good: { ...LAMBDA, ...AUTHORIZER, ...keys({ principals: ["browsers"] }) },
    bad: { ...LAMBDA, ...AUTHORIZER, ...keys({ principals: ["browsers"] }, {}) },
    problems: "api.yaml keys[1].principals is missing: authorization is lambda",
  },
  {
    rule: "limits need an API key",
    good: { ...IAM, ...keys({ principals: [ROLE] }), ...set("default_throttle", { rate_limit: 5, burst_limit: 5 }) },
    bad: {
      ...IAM,
      ...keys({ principals: [ROLE], rate_limit: 5, daily_quota: 9 }),
      ...set("throttle", { burst_limit: 5 }),
    },
    problems: [
      "api.yaml keys[0].rate_limit limits an API key, and there is none (default_throttle limits the whole API): authorization is iam",
      "api.yaml keys[0].daily_quota limits an API key, and there is none (default_throttle limits the whole API): authorization is iam",
      "api.yaml throttle.burst_limit limits an API key, and there is none (default_throttle limits the whole API): authorization is iam",
    ],
  },
  {
    rule: "a principal of iam is the ARN of a role or user",
    good: { ...IAM, ...keys({ principals: [ROLE, "arn:aws:iam::123456789012:user/staff/ada"] }) },
    bad: {
      ...IAM,
      ...keys({
        principals: [
          "shop-page",
          "arn:aws:sts::123456789012:assumed-role/shop-page/session",
          "arn:aws:iam::123456789012:root",
        ],
      }),
    },
    problems: [
      "shop-page",
      "arn:aws:sts::123456789012:assumed-role/shop-page/session",
      "arn:aws:iam::123456789012:root",
    ].map(
      (given, at) =>
        `api.yaml keys[0].principals[${at}] must be the ARN of a role or user such as arn:aws:iam::123456789012:role/shop-page, got "${given}": authorization is iam`,
    ),
  },
  {
    rule: "a principal belongs to one key, whatever the path of a role",
    good: { ...IAM, ...keys({ principals: [ROLE] }, { principals: ["arn:aws:iam::210987654321:role/shop-page"] }) },
    bad: { ...IAM, ...keys({ principals: [ROLE] }, { principals: ["arn:aws:iam::123456789012:role/web/shop-page"] }) },
    problems: "api.yaml keys[1].principals[0] role shop-page of account 123456789012 appears twice",
  },
  {
    rule: "tokens have a source of keys, and no place beside IAM's signature",
    good: keys({ tokens: { issuer: "https://a.example.org/", jwks: { keys: [] } } }),
    bad: keys({ tokens: { issuer: "https://a.example.org/" } }),
    problems: "api.yaml keys[0].tokens needs either jwks or jwks_url with an issuer, else neither",
  },
  {
    rule: "IAM takes no tokens",
    good: { ...IAM, ...keys({ principals: [ROLE] }) },
    bad: { ...IAM, ...keys({ principals: [ROLE], tokens: {} }) },
    problems: "api.yaml keys[0].tokens cannot be combined with IAM, whose signature is in the same header",
  },
]);

test.run();
