// Both services with every option at once: each option appears in the Terraform of the stacks that it affects.
import * as assert from "uvu/assert";
import { stackNames } from "../../stacks/input.ts";
import { FULL_NAMES, type FullName, fullConfiguration } from "../fixtures/configurations/every-option.ts";
import { suite } from "../suite.ts";
import { type Stack, synth } from "./support.ts";

const test = suite("stacks: every option at once");

const APIS = ["search-gateway", "recommendation"] as const;
const apis = (name: FullName): Stack[] => APIS.map((stack) => synth(stack, { config: fullConfiguration(name) }));
const byName = new Map(FULL_NAMES.map((name) => [name, apis(name)]));
const each = (name: FullName) => byName.get(name) ?? [];
const value = (stack: Stack, type: string, id: string, attribute: string): unknown =>
  stack.resource(type, id)[attribute];

const HOSTED = ["both services", "both services, with an authorizer"] as const;

for (const name of FULL_NAMES) {
  test(`sets firewall, throttle, provisioned and reserved concurrency: ${name}`, () => {
    const [gateway, recommendation] = each(name);
    for (const [stack, fn] of [
      [gateway, "api-router"],
      [recommendation, "recommendation-api"],
    ] as const) {
      assert.ok(stack);
      assert.match(
        String(value(stack, "aws_wafv2_web_acl_association", "api-firewall", "web_acl_arn")),
        ":regional/webacl/",
      );
      const settings = value(stack, "aws_api_gateway_method_settings", "api-settings", "settings") as object;
      assert.equal(
        [Reflect.get(settings, "throttling_rate_limit"), Reflect.get(settings, "throttling_burst_limit")],
        [200, 400],
      );
      assert.is(value(stack, "aws_lambda_function", fn, "reserved_concurrent_executions"), 100);
      assert.equal(
        [
          value(stack, "aws_appautoscaling_target", `${fn}-scaling`, "min_capacity"),
          value(stack, "aws_appautoscaling_target", `${fn}-scaling`, "max_capacity"),
        ],
        [1, 5],
      );
    }
  });

  test(`sets the boundary and the path of each role: ${name}`, () => {
    for (const stack of each(name)) {
      const ids = stack.ids("aws_iam_role");
      assert.is(ids.includes("authorizer-role"), name === "both services, with an authorizer");
      for (const id of ids) {
        assert.equal(
          [value(stack, "aws_iam_role", id, "path"), value(stack, "aws_iam_role", id, "permissions_boundary")],
          ["/teams/search/", "arn:aws:iam::123456789012:policy/developers"],
          id,
        );
      }
    }
  });
}

test("includes the path in the ARN of the authorizer's role", () => {
  for (const stack of each("both services, with an authorizer")) {
    const body = String(value(stack, "aws_api_gateway_rest_api", "api", "body"));
    assert.match(
      body,
      /"authorizerCredentials":"arn:aws:iam::123456789012:role\/teams\/search\/[\w-]+-authorizer-eu-west-1"/,
    );
  }
});

test("sets host names and turns off the execute-api URLs", () => {
  for (const name of HOSTED) {
    const hosts = each(name).map((stack) => [
      value(stack, "aws_api_gateway_domain_name", "domain-name", "domain_name"),
      value(stack, "aws_api_gateway_rest_api", "api", "disable_execute_api_endpoint"),
    ]);
    assert.equal(hosts, [
      ["search.example.org", true],
      ["recommend.example.org", true],
    ]);
  }
});

test("gives private APIs their endpoints and a policy, and no host name", () => {
  for (const stack of each("both services, private, for callers of IAM")) {
    assert.equal(value(stack, "aws_api_gateway_rest_api", "api", "endpoint_configuration"), {
      types: ["PRIVATE"],
      vpc_endpoint_ids: ["vpce-0a1b2c3d4e5f67890", "vpce-0b1c2d3e4f5a67890"],
    });
    const [callers, preflight, otherWays] = JSON.parse(
      String(value(stack, "aws_api_gateway_rest_api_policy", "api-policy", "policy")),
    ).Statement;
    assert.is(preflight.Principal, "*");
    assert.equal(callers.Principal, { AWS: ["arn:aws:iam::123456789012:root", "arn:aws:iam::210987654321:root"] });
    assert.equal(otherWays.Condition.StringNotEquals["aws:SourceVpce"], [
      "vpce-0a1b2c3d4e5f67890",
      "vpce-0b1c2d3e4f5a67890",
    ]);
    assert.equal([stack.ids("aws_api_gateway_domain_name"), stack.ids("aws_route53_record")], [[], []]);
  }
});

test("creates usage plans for API keys, and none for other callers", () => {
  const [gateway, recommendation] = each("both services");
  for (const stack of [gateway, recommendation]) {
    assert.ok(stack);
    assert.equal(stack.ids("aws_api_gateway_usage_plan"), [
      "usage-plan",
      ...(stack === gateway ? ["usage-plan-indexes"] : []),
      "usage-plan-shop-browser",
      "usage-plan-shop-server",
    ]);
    assert.equal(value(stack, "aws_api_gateway_usage_plan", "usage-plan-shop-server", "quota_settings"), {
      limit: 1_000_000,
      period: "DAY",
    });
  }
  for (const name of FULL_NAMES.slice(1)) {
    for (const stack of each(name)) assert.equal(stack.ids("aws_api_gateway_usage_plan"), [], name);
  }
});

test("tags the provider of every stack, and encrypts every log group with the key", () => {
  const config = fullConfiguration("both services");
  for (const name of stackNames(config)) {
    const stack = synth(name, { config });
    assert.match(JSON.stringify(stack.provider.aws), '"cost-center":"4711"', name);
    for (const id of stack.ids("aws_cloudwatch_log_group")) {
      assert.is(value(stack, "aws_cloudwatch_log_group", id, "kms_key_id"), config.project.aws.kms_key_arn, id);
    }
  }
});

test.run();
