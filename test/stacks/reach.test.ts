// How the APIs are reached: private, firewall, host names, limits, concurrency.
import * as assert from "uvu/assert";
import type { Change } from "../fixtures/configurations/configurations.ts";
import { recommendation } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";
import { example, ref, type Stack, synth } from "./support.ts";

const test = suite("stacks: ways to reach the APIs");

const gateway = (...changes: Change[]) => example("search-gateway", "all-options", changes);
const service = (...changes: Change[]) => synth("recommendation", { config: recommendation(changes) });
const api = (stack: Stack) => stack.resource<Record<string, unknown>>("aws_api_gateway_rest_api", "api");

const PRIVATE: Change = ["api.yaml", ["private_api"], { vpc_endpoint_ids: ["vpce-0a1b2c3d4e5f67890"] }];
const NO_HOST: Change = ["api.yaml", ["domain_name_system"], null];
const HOST: Change = [
  "api.yaml",
  ["recommendation_domain_name"],
  {
    host_name: "recommend.example.org",
    certificate_arn: "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-1a2b3c4d5e6f",
    hosted_zone_id: "Z0123456789ABCDEFGHIJ",
  },
];

test("accepts calls to a private API only through its endpoints, and deploys a changed list", () => {
  for (const [stack, before] of [
    [gateway(PRIVATE, NO_HOST), gateway(NO_HOST)],
    [service(PRIVATE, NO_HOST), service(NO_HOST)],
  ] as const) {
    const { endpoint_configuration } = api(stack);
    const { policy } = stack.resource("aws_api_gateway_rest_api_policy", "api-policy");
    assert.equal(endpoint_configuration, { types: ["PRIVATE"], vpc_endpoint_ids: ["vpce-0a1b2c3d4e5f67890"] });
    const [allow, deny] = JSON.parse(String(policy)).Statement;
    assert.equal([allow.Effect, deny.Effect, deny.Action], ["Allow", "Deny", "execute-api:Invoke"]);
    assert.equal(deny.Condition, { StringNotEquals: { "aws:SourceVpce": ["vpce-0a1b2c3d4e5f67890"] } });
    assert.is.not(triggers(stack), triggers(before));
  }
});

test("associates a web ACL with the stage of each API", () => {
  const webAclArn = "arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/shop/0a1b2c3d-0000-4000-8000-1a2b3c4d5e6f";
  const change: Change = ["api.yaml", ["waf_web_acl_arn"], webAclArn];
  for (const stack of [gateway(change), service(change)]) {
    assert.equal(stack.resource("aws_wafv2_web_acl_association", "api-firewall"), {
      resource_arn: ref("aws_api_gateway_stage.api-stage.arn"),
      web_acl_arn: webAclArn,
    });
  }
});

const triggers = (stack: Stack) =>
  JSON.stringify(stack.resource("aws_api_gateway_deployment", "api-deployment").triggers);

test("deploys the API again when its endpoint type or its execute-api URL changes", () => {
  const off: Change = ["api.yaml", ["execute_api_url"], false];
  assert.is.not(triggers(gateway(off)), triggers(gateway()));
  assert.is.not(triggers(service(off, HOST)), triggers(service(HOST)));
  assert.is(triggers(gateway(off)), triggers(gateway(off)));
});

test("always writes whether the execute-api URL is off, and turns it off only if the API has a host name", () => {
  const off: Change = ["api.yaml", ["execute_api_url"], false];
  assert.is(api(gateway(off)).disable_execute_api_endpoint, true);
  assert.is(api(gateway()).disable_execute_api_endpoint, false);
  assert.is(api(service(off, HOST)).disable_execute_api_endpoint, true);
  assert.is(api(service(off)).disable_execute_api_endpoint, false);
});

test("limits each API over all keys with default_throttle", () => {
  const limits: Change = ["api.yaml", ["default_throttle"], { rate_limit: 200, burst_limit: 400 }];
  for (const stack of [gateway(limits), service(limits)]) {
    const { settings } = stack.resource<{ settings: Record<string, unknown> }>(
      "aws_api_gateway_method_settings",
      "api-settings",
    );
    assert.equal([settings.throttling_rate_limit, settings.throttling_burst_limit], [200, 400]);
  }
});

test("gives the recommendation service its own host name, with a DNS record if its zone is given", () => {
  const stack = service(HOST);
  const domain = stack.resource("aws_api_gateway_domain_name", "domain-name");
  assert.equal([domain.domain_name, domain.security_policy], ["recommend.example.org", "TLS_1_2"]);
  assert.is(stack.resource("aws_route53_record", "dns-record").zone_id, "Z0123456789ABCDEFGHIJ");
  assert.is(stack.output.api_url?.value, "https://recommend.example.org");
  const [file, path, value] = HOST;
  const own = service([file, path, { ...(value as object), hosted_zone_id: undefined }]);
  assert.equal([own.ids("aws_api_gateway_base_path_mapping"), own.ids("aws_route53_record")], [["base-path"], []]);
});

test("sets reserved and provisioned concurrency of the recommendation service", () => {
  const stack = service(
    ["api.yaml", ["reserved_concurrency"], { recommendation_api: 40 }],
    [
      "api.yaml",
      ["provisioned_concurrency"],
      { recommendation_api: { min_capacity: 2, max_capacity: 9, utilization_target: 0.7 } },
    ],
  );
  assert.is(stack.resource("aws_lambda_function", "recommendation-api").reserved_concurrent_executions, 40);
  const target = stack.resource("aws_appautoscaling_target", "recommendation-api-scaling");
  assert.equal([target.min_capacity, target.max_capacity], [2, 9]);
  assert.equal(service().ids("aws_appautoscaling_target"), []);
});

test.run();
