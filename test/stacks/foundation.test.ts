import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import type { Discovery } from "../../lib/infrastructure/discovery.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { synthesizeRemoval } from "../../stacks/removal.ts";
import { type ConfigurationName, configuration, discoveryOf } from "../fixtures/configurations/configurations.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { example, ref, type Stack, synth } from "./support.ts";

const test = suite("stacks: foundation");

const ROLE = "arn:aws:iam::123456789012:role/api-gateway-logs";

function foundation(name: ConfigurationName, change: (found: Discovery) => Discovery): Stack {
  const config = configuration(name);
  return synth("foundation", { config, discovery: change(discoveryOf(config)) });
}

const withLogRole = (apiGateway: Partial<Discovery["apiGateway"]>) =>
  foundation("all-options", (found) => ({ ...found, apiGateway: { ...found.apiGateway, ...apiGateway } }));

const kinds = (stack: Stack) => [
  stack.ids("aws_iam_role").length,
  stack.ids("aws_iam_role_policy_attachment").length,
  stack.ids("aws_api_gateway_account").length,
];
const account = (stack: Stack) =>
  stack.resource<{ cloudwatch_role_arn: string }>("aws_api_gateway_account", "api-gateway-account").cloudwatch_role_arn;

const role = (exists: boolean, owned: boolean) => ({ name: "api-gateway-logs", exists, owned });

test("creates API Gateway's log role if none is set", () => {
  const stack = example("foundation", "all-options");
  assert.equal(kinds(stack), [1, 1, 1]);
  assert.is(stack.resource<{ name: string }>("aws_iam_role", "api-gateway-logs").name, "api-gateway-logs");
  assert.is(account(stack), ref("aws_iam_role.api-gateway-logs.arn"));
  assert.is(stack.import, undefined);
});

test("uses an existing role without managing it", () => {
  const stack = withLogRole({ role: role(true, false) });
  assert.equal(kinds(stack), [0, 0, 1]);
  assert.is(account(stack), ROLE);
});

test("keeps a log role that someone else has set", () => {
  const stack = withLogRole({ logRoleArn: "arn:aws:iam::123456789012:role/other" });
  assert.equal(kinds(stack), [0, 0, 0]);
});

test("imports the role that an earlier deployment left", () => {
  const stack = withLogRole({ logRoleArn: ROLE, role: role(true, true) });
  assert.equal(kinds(stack), [1, 1, 1]);
  assert.equal(stack.import, [{ to: "aws_iam_role.api-gateway-logs", id: "api-gateway-logs" }]);
});

test("forgets, not deletes, API Gateway's log role and its settings during the removal", () => {
  const config = configuration("all-options");
  const outdir = scratchFolder(TEST_OUTPUT, "removal");
  const input = { config, account: "123456789012", outdir, stacks: ["foundation" as const] };
  const [{ directory } = { directory: "" }] = synthesizeRemoval(input);
  const { removed } = JSON.parse(readFileSync(join(directory, "cdk.tf.json"), "utf8"));
  const types = ["aws_iam_role_policy_attachment", "aws_iam_role", "aws_api_gateway_account"];
  const stack = example("foundation", "all-options");
  assert.equal(
    removed,
    types.flatMap((type) => stack.ids(type).map((id) => ({ from: `${type}.${id}`, lifecycle: { destroy: false } }))),
  );
});

const endpoints = (stack: Stack) =>
  stack
    .ids("aws_vpc_endpoint")
    .map((id) => stack.resource<{ service_name: string }>("aws_vpc_endpoint", id).service_name.split(".eu-west-1.")[1]);

test("creates endpoints only for the services in use", () => {
  assert.equal(endpoints(example("foundation", "minimal")), []);
  assert.equal(endpoints(example("foundation", "aws-auth")), ["bedrock-runtime"]);
  assert.equal(endpoints(example("foundation", "basic-auth")), ["sagemaker.runtime", "secretsmanager"]);
  assert.equal(endpoints(example("foundation", "all-options")), [
    "bedrock-runtime",
    "personalize-runtime",
    "sagemaker.runtime",
    "secretsmanager",
    // Of the request log, which suggestions come from.
    "s3",
  ]);
});

test("creates no endpoints if create_endpoints is off", () => {
  const off = example("foundation", "all-options", [["project.yaml", ["vpc", "create_endpoints"], false]]);
  assert.equal(endpoints(off), []);
  assert.equal(off.ids("aws_security_group"), []);
});

function withEndpoints(found: Discovery, owned: boolean): Discovery {
  const gateway = found.searchGateway;
  if (!gateway) throw new Error("no gateway");
  const endpoint = { service: "secretsmanager" as const, id: "vpce-1", owned };
  return { ...found, searchGateway: { ...gateway, network: { ...gateway.network, endpoints: [endpoint] } } };
}

test("uses endpoints that already serve the VPC, and keeps its own", () => {
  assert.equal(endpoints(foundation("basic-auth", (found) => withEndpoints(found, false))), ["sagemaker.runtime"]);
  assert.equal(endpoints(foundation("basic-auth", (found) => withEndpoints(found, true))), [
    "sagemaker.runtime",
    "secretsmanager",
  ]);
});

test("opens endpoints to every CIDR block of the VPC, because their private names apply to all of it", () => {
  const stack = foundation("aws-auth", (found) => {
    const gateway = found.searchGateway;
    if (!gateway) throw new Error("no gateway");
    const cidrBlocks = ["10.20.0.0/16", "100.64.0.0/16"];
    return { ...found, searchGateway: { ...gateway, network: { ...gateway.network, cidrBlocks } } };
  });
  const rules = stack
    .ids("aws_vpc_security_group_ingress_rule")
    .map((id) => stack.resource<{ cidr_ipv4: string; to_port: number }>("aws_vpc_security_group_ingress_rule", id));
  assert.equal(
    rules.map(({ cidr_ipv4, to_port }) => [cidr_ipv4, to_port]),
    [
      ["10.20.0.0/16", 443],
      ["100.64.0.0/16", 443],
    ],
  );
});

test("places an endpoint in one subnet in each zone that the service supports", () => {
  const stack = foundation("aws-auth", (found) => {
    const gateway = found.searchGateway;
    if (!gateway) throw new Error("no gateway");
    const functionSubnets = ["a", "b", "a", "c"].map((zone, index) => ({ id: `subnet-${index}`, zone }));
    const network = { ...gateway.network, functionSubnets, endpointZones: { "bedrock-runtime": ["a", "c"] } };
    return { ...found, searchGateway: { ...gateway, network } };
  });
  const endpoint = stack.resource<{ subnet_ids: string[]; private_dns_enabled: boolean }>(
    "aws_vpc_endpoint",
    "endpoint-bedrock-runtime",
  );
  assert.equal([endpoint.subnet_ids, endpoint.private_dns_enabled], [["subnet-0", "subnet-3"], true]);
});

test("encrypts the alarm topic", () => {
  const topic = example("foundation", "minimal").resource<{ kms_master_key_id: string }>("aws_sns_topic", "alarms");
  assert.is(topic.kms_master_key_id, "alias/minimal-relevance");
});

test.run();
