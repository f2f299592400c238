// A first deployment in an account where new roles take effect slowly, and only ten functions may run at a time.
import { rmSync } from "node:fs";
import * as assert from "uvu/assert";
import { openPersonalize } from "../../packages/local/dev/recommendation.ts";
import { setFaults } from "../../packages/local-aws/cloud/permissions.ts";
import { seedAccount } from "../../packages/local-aws/cloud/seed.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { ownCloud } from "../fixtures/cloud.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { recommendationProject } from "./recommendation-project.ts";

const test = suite("a first deployment in a new account");

const NAME = "new";
/** Delays of IAM. Policies take longer than roles, so that calls by the functions themselves are refused. */
const ROLE_SECONDS = 5;
const POLICY_SECONDS = 30;

const folder = scratchFolder(TEST_OUTPUT, "new-account");
const endpoint = Promise.withResolvers<string>();
const personalize = openPersonalize(folder, endpoint.promise);
const cloud = await ownCloud({
  standIns: [personalize],
  quotas: { concurrency: 10 },
});
endpoint.resolve(cloud.endpoint);
test.after(async () => {
  await cloud.stop();
  rmSync(folder, { recursive: true, force: true });
});
const account = await seedAccount(cloud);
const project = await recommendationProject({ folder, cloud, account, name: NAME });

test("succeeds, and says that few functions may run and what it waits for", async () => {
  await setFaults(cloud, {
    roleSeconds: ROLE_SECONDS,
    policySeconds: POLICY_SECONDS,
    kmsAliasSeconds: POLICY_SECONDS,
    functionSeconds: 2,
  });
  const { out, err } = await project.succeeds("deploy", "--yes");
  assert.match(out, "Only 10 functions may run at the same time");
  assert.match(
    err,
    /aws_lambda_invocation\.\S+: IAM does not yet permit personalize:\w+ to the role new-personalize-manager-\S+: waiting\n/,
    err,
  );
  assert.not.match(err, "credentials");
});

test("leaves nothing to plan", async () => {
  const { out, code, err } = await project.relevance("plan", "--detailed-exitcode");
  assert.is(code, 0, `${out}\n${err}`);
});

test.run();
