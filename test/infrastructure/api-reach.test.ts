// How an API is reached, by Terraform: its policy, its endpoint type and its execute-api URL. Only the API, its policy and
// its deployment of the stack are applied. Each test continues from the state that the previous one left.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { APIGatewayClient, GetDeploymentsCommand, GetRestApisCommand } from "@aws-sdk/client-api-gateway";
import * as assert from "uvu/assert";
import { ACCOUNT_ID, REGION } from "../../packages/local-aws/cloud/account.ts";
import { policyAllows } from "../../packages/local-aws/cloud/resource-policy.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { clientOptions, ownCloud } from "../fixtures/cloud.ts";
import type { Change } from "../fixtures/configurations/configurations.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { servedProvider } from "../fixtures/served-provider.ts";
import { initTerraform, requireTerraform, terraformOk } from "../fixtures/terraform.ts";
import { example } from "../stacks/support.ts";
import { suite } from "../suite.ts";

const test = suite("how an API is reached, by Terraform");

const terraform = requireTerraform();
const folder = scratchFolder(TEST_OUTPUT, "api-reach");
const cloud = await ownCloud();
test.after(async () => {
  await cloud.stop();
  rmSync(folder, { recursive: true, force: true });
});
const gateway = new APIGatewayClient(clientOptions(cloud));
const env = { ...cloud.env, ...(await servedProvider(cloud, join(folder, "provider"))) };

const PRIVATE: Change = ["api.yaml", ["private_api"], { vpc_endpoint_ids: ["vpce-0a1b2c3d4e5f67890"] }];
const NO_HOST: Change = ["api.yaml", ["domain_name_system"], null];
const IAM: Change = ["api.yaml", ["authorization"], "iam"];
const OTHERS: Change = [
  "api.yaml",
  ["keys"],
  [{ name: "shop", endpoints: ["search"], principals: ["arn:aws:iam::210987654321:user/ada"] }],
];
const CORS: Change = ["api.yaml", ["cors"], { allow_origins: ["https://shop.example.org"] }];

/** Writes the API of a configuration, as its stack has it. */
function write(...changes: Change[]): void {
  const { terraform, provider, resource } = JSON.parse(example("search-gateway", "minimal", changes).text);
  const kinds = ["rest_api", "rest_api_policy", "deployment"].map((kind) => `aws_api_gateway_${kind}`);
  const kept = Object.fromEntries(kinds.map((kind) => [kind, resource[kind]]));
  const stack = { terraform: { ...terraform, backend: { local: {} } }, provider, resource: kept };
  writeFileSync(join(folder, "cdk.tf.json"), JSON.stringify(stack));
}

/** Applies a configuration, checks that nothing is left to plan, and returns the API and the number of deployments. */
async function applied(...changes: Change[]) {
  write(...changes);
  const apply = ["apply", "-auto-approve", "-no-color", "-input=false"];
  const done = (await terraformOk(terraform, folder, apply, env)).stdout;
  // A deployment keeps the policy that the API has at that moment.
  const [, after = ""] = done.split("aws_api_gateway_deployment.api-deployment: Creating...");
  assert.not.match(after, /rest_api_policy\S+: \w/);
  const next = ["plan", "-detailed-exitcode", "-no-color", "-input=false"];
  const { code, stdout } = await terraformOk(terraform, folder, next, env, [0, 2]);
  assert.is(code, 0, stdout);
  const [api, ...others] = (await gateway.send(new GetRestApisCommand({}))).items ?? [];
  assert.is(others.length, 0);
  const { items = [] } = await gateway.send(new GetDeploymentsCommand({ restApiId: api?.id }));
  return { ...api, deployments: items.map(({ id }) => id) };
}

type Api = Awaited<ReturnType<typeof applied>>;
const call = ({ id }: Api) => `arn:aws:execute-api:${REGION}:${ACCOUNT_ID}:${id}/v1/POST/application/search`;
const open = (api: Api) => policyAllows(api.policy, call(api));

test("a private API refuses calls from elsewhere, and leaves nothing to plan", async () => {
  write(PRIVATE, NO_HOST);
  await initTerraform(terraform, folder, { env });
  const api = await applied(PRIVATE, NO_HOST);
  assert.equal(api.endpointConfiguration?.types, ["PRIVATE"]);
  assert.equal(api.endpointConfiguration?.vpcEndpointIds, ["vpce-0a1b2c3d4e5f67890"]);
  assert.not.ok(open(api));
});

test("a changed body keeps the policy", async () => {
  const statement = ({ policy = "" }: { policy?: string | undefined }) =>
    policy.replace(/Callers[0-9a-f]{12}/, "Callers");
  const [before = {}] = (await gateway.send(new GetRestApisCommand({}))).items ?? [];
  assert.is(statement(await applied(PRIVATE, NO_HOST, CORS)), statement(before));
  assert.match(statement(before), "OtherWays");
});

test("without private_api it is public, and a call is let through", async () => {
  const api = await applied(NO_HOST, CORS);
  assert.equal(api.endpointConfiguration?.types, ["REGIONAL"]);
  assert.ok(open(api));
});

test("with iam it refuses callers of no account, and lets those of the accounts of its principals through", async () => {
  const api = await applied(NO_HOST, IAM, OTHERS);
  assert.not.ok(open(api));
  assert.ok(policyAllows(api.policy, call(api), "210987654321"));
});

test("with API keys again, a call without an account is let through", async () => {
  assert.ok(open(await applied(NO_HOST)));
});

test("execute_api_url takes effect both ways, each with a deployment of its own", async () => {
  const off = await applied(["api.yaml", ["execute_api_url"], false]);
  const on = await applied(["api.yaml", ["execute_api_url"], true]);
  assert.equal([off.disableExecuteApiEndpoint, on.disableExecuteApiEndpoint], [true, false]);
  assert.is.not(off.deployments.join(), on.deployments.join());
});

test.run();
