// The recommendation service without the search gateway, by the command line, from validation to removal. It is first
// deployed where new roles take effect slowly, and only ten functions may run at a time. Each test continues where the
// previous one ended.
import { rmSync } from "node:fs";
import * as assert from "uvu/assert";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { openPersonalize } from "../../packages/local/dev/recommendation.ts";
import { ACCOUNT_ID, REGION } from "../../packages/local-aws/cloud/account.ts";
import { setFaults } from "../../packages/local-aws/cloud/permissions.ts";
import { seedAccount } from "../../packages/local-aws/cloud/seed.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { refusedCalls } from "../fixtures/check-permissions.ts";
import { ownCloud } from "../fixtures/cloud.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { projectResources } from "./project-resources.ts";
import { recommendationProject } from "./recommendation-project.ts";

const test = suite("the recommendation service alone");

const NAME = "alone";
/** Delays of IAM. Policies take longer than roles, so that calls by the functions themselves are refused. */
const DELAYS = { roleSeconds: 5, policySeconds: 30, kmsAliasSeconds: 30, functionSeconds: 2 };
const folder = scratchFolder(TEST_OUTPUT, "recommendation-alone");
const endpoint = Promise.withResolvers<string>();
const personalize = openPersonalize(folder, endpoint.promise);
const cloud = await ownCloud({ standIns: [personalize], longestWaitSeconds: 0.5, quotas: { concurrency: 10 } });
endpoint.resolve(cloud.endpoint);
test.after(async () => {
  await cloud.stop();
  rmSync(folder, { recursive: true, force: true });
});
const account = await seedAccount(cloud);
const project = await recommendationProject({
  folder,
  cloud,
  account,
  name: NAME,
  changes: [["project.yaml", ["aws", "tags"], { team: "search", "cost-center": "4711" }]],
});
const names = namesOf({ project: NAME, account: ACCOUNT_ID, region: REGION });

/** Calls that were denied while policies had no effect yet. */
let refusedByDelays: readonly string[] = [];

const keys = async () => {
  const info = JSON.parse((await project.succeeds("info", "--json", "--show")).out);
  assert.equal(Object.keys(info), ["recommendation"]);
  assert.match(info.recommendation.url, /^https:\/\/\w+\.execute-api\.eu-west-1\.amazonaws\.com\/v1$/);
  return (info.recommendation.keys as Array<{ value: string }>).map(({ value }) => value);
};
const stacksListed = async () => {
  const listed = JSON.parse((await project.succeeds("list", "--json")).out);
  const stacks = listed.terraform.map(({ stack }: { stack: string }) => stack) as string[];
  return { stacks: [...new Set(stacks)].sort(), personalize: listed.personalize as { kind: string }[] };
};

test("validates without a file of the search gateway", async () => {
  const { out } = await project.succeeds("validate", "--json");
  assert.equal(JSON.parse(out), { valid: true, services: ["recommendation"], problems: [], warnings: [] });
});

test("is deployed without a call to a cluster, and says that few functions may run and what it waits for", async () => {
  await setFaults(cloud, DELAYS);
  const { out, err } = await project.succeeds("deploy", "--yes");
  await setFaults(cloud, {});
  assert.match(out, "Only 10 functions may run at the same time");
  assert.match(
    err,
    /aws_lambda_invocation\.\S+: IAM does not yet permit personalize:\w+ to the role alone-personalize-manager-\S+: waiting\n/,
    err,
  );
  assert.not.match(err, "credentials");
  refusedByDelays = await refusedCalls({ cloud, project: NAME });
  assert.match(out, /^recommendation\n {2}URL {6}\S+\n {2}API key {2}\S{20,} {2}default \(/m);
  assert.not.match(err, "cluster");
  assert.match(err, "  campaign user_personalization: not trained yet\n");
  assert.equal((await stacksListed()).stacks, [
    "filters",
    "foundation",
    "personalization",
    "recommendation",
    "storage",
  ]);
});

test("leaves nothing to plan", async () => {
  const { out } = await project.succeeds("plan", "--detailed-exitcode");
  assert.match(out, "\nNothing to change.\n");
});

test("gets a second API key, and loses a tag", async () => {
  const [first] = await keys();
  project.edit(
    ["project.yaml", ["aws", "tags"], { "cost-center": "4711" }],
    ["project.yaml", ["aws", "log_retention_days"], 14],
  );
  const { err } = await project.succeeds("rotate-key", "--service", "recommendation", "--yes");
  const both = await keys();
  assert.equal([both.length, both[0]], [2, first]);
  assert.match(err, "`relevance rotate-key --service recommendation --finish`");
});

test("uninstall --destroy-infra true leaves only the bucket, its key and API Gateway's log role", async () => {
  await project.succeeds("uninstall", "--destroy-infra", "true", "--yes");
  assert.equal(await stacksListed(), { stacks: ["storage"], personalize: [] });
  // API Gateway's log role is one setting of the account, so it stays.
  assert.equal(await projectResources(cloud, NAME), [`role ${names.role("api-gateway-logs")}`]);
});

test("no later call was denied for lack of a permission", async () => {
  assert.equal(await refusedCalls({ cloud, project: NAME }), refusedByDelays);
});

test.run();
