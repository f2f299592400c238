// The example with signed requests, by the command line. Each test continues from the state that the previous one left.
import { rmSync } from "node:fs";
import * as assert from "uvu/assert";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { ACCOUNT_ID, REGION } from "../../packages/local-aws/cloud/account.ts";
import { seedAccount } from "../../packages/local-aws/cloud/seed.ts";
import { createModelStandIns } from "../../packages/local-models/stand-ins.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { ownCloud } from "../fixtures/cloud.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { testProject } from "./project.ts";
import { projectResources } from "./project-resources.ts";

const test = suite("a gateway that signs its requests");

const NAME = "signed";
const folder = scratchFolder(TEST_OUTPUT, "aws-auth");
// No endpoint, because the configuration has a Bedrock model.
const models = await createModelStandIns({ modelOfEndpoint: () => undefined });
const cloud = await ownCloud({ standIns: [models] });
test.after(async () => {
  await cloud.stop();
  rmSync(folder, { recursive: true, force: true });
});
const account = await seedAccount(cloud);
const project = await testProject({ folder, cloud, account, configuration: "aws-auth", name: NAME });
const names = namesOf({ project: NAME, account: ACCOUNT_ID, region: REGION });

test("is deployed with all that it needs", async () => {
  const { err, code } = await project.relevance("deploy", "--yes");
  assert.is(code, 0, err);
  assert.match(err, "  model ext_embed_english_v3: works\n");
  const found = await projectResources(cloud, NAME);
  assert.ok(found.includes(`function ${names.function("api-router")}`), found.join(", "));
});

test("status calls the models of Bedrock again, which may be denied after the first calls", async () => {
  const { err, code } = await project.relevance("status");
  assert.match(err, "  model ext_embed_english_v3: works\n");
  assert.is(code, 0);
});

test("leaves nothing to plan", async () => {
  const { out, err, code } = await project.relevance("plan", "--detailed-exitcode");
  assert.match(out, "\nNothing to change.\n", err);
  assert.is(code, 0);
});

test("destroy leaves only API Gateway's log role, which belongs to the account", async () => {
  const { err, code } = await project.relevance("destroy", "--destroy-infra", "true", "--yes");
  assert.is(code, 0, err);
  assert.equal(await projectResources(cloud, NAME), [`role ${names.role("api-gateway-logs")}`]);
});

test.run();
