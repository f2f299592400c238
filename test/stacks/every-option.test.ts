// Both services with every option at once: each option appears in the Terraform of the stacks that it affects.
import * as assert from "uvu/assert";
import { stackNames } from "../../stacks/input.ts";
import { type FullName, fullConfiguration } from "../fixtures/configurations/every-option.ts";
import { suite } from "../suite.ts";
import { type Stack, synth } from "./support.ts";

const test = suite("stacks: every option at once");

const APIS = ["search-gateway", "recommendation"] as const;
const apis = (name: FullName): Stack[] => APIS.map((stack) => synth(stack, { config: fullConfiguration(name) }));
const value = (stack: Stack, type: string, id: string, attribute: string): unknown =>
  stack.resource(type, id)[attribute];

test("sets the boundary and the path of the authorizer's role, and includes the path in its ARN", () => {
  for (const stack of apis("both services, with an authorizer")) {
    assert.equal(
      [
        value(stack, "aws_iam_role", "authorizer-role", "path"),
        value(stack, "aws_iam_role", "authorizer-role", "permissions_boundary"),
      ],
      ["/teams/search/", "arn:aws:iam::123456789012:policy/developers"],
    );
    const body = String(value(stack, "aws_api_gateway_rest_api", "api", "body"));
    assert.match(
      body,
      /"authorizerCredentials":"arn:aws:iam::123456789012:role\/teams\/search\/[\w-]+-authorizer-eu-west-1"/,
    );
  }
});

test("creates usage plans for the keys that may call the service", () => {
  const [gateway, recommendation] = apis("both services");
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
