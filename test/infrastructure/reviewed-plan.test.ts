// A gateway that signs its requests: its plan is saved, reviewed and applied, refused after changes, rolled back and
// forward again, and destroyed. Each test continues from the state that the previous one left.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GetAliasCommand, LambdaClient, ListVersionsByFunctionCommand } from "@aws-sdk/client-lambda";
import * as assert from "uvu/assert";
import { LIVE_ALIAS, namesOf } from "../../lib/platform/naming/names.ts";
import { seedAccount } from "../../packages/local-aws/cloud/seed.ts";
import { createModelStandIns } from "../../packages/local-models/stand-ins.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { clientOptions, ownCloud } from "../fixtures/cloud.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { changesIn } from "./deployment/world.ts";
import { testProject } from "./project.ts";
import { projectResources } from "./project-resources.ts";

const test = suite("a reviewed plan");

// No endpoint, because the configuration has a Bedrock model.
const models = await createModelStandIns({ modelOfEndpoint: () => undefined });
const cloud = await ownCloud({ standIns: [models] });
const account = await seedAccount(cloud);
const folder = scratchFolder(TEST_OUTPUT, "reviewed-plan");
const name = "reviewed";
const names = namesOf({ project: name, account: cloud.accountId, region: cloud.region });
// At first Terraform starts the provider itself: a saved plan includes the lock file, which lists no served provider.
const project = await testProject({
  folder,
  cloud,
  account,
  configuration: "aws-auth",
  name,
  servedProvider: false,
});
test.after(async () => {
  await cloud.stop();
  rmSync(folder, { recursive: true, force: true });
});

const lambda = new LambdaClient(clientOptions(cloud));
const FunctionName = names.function("api-router");
const liveVersion = async () =>
  (await lambda.send(new GetAliasCommand({ FunctionName, Name: LIVE_ALIAS }))).FunctionVersion;
const versions = async () => {
  const { Versions = [] } = await lambda.send(new ListVersionsByFunctionCommand({ FunctionName }));
  return Versions.map(({ Version }) => Version).filter((version) => version !== "$LATEST");
};
const idIn = (text: string) => /Plan ([\da-f]{12})/.exec(text)?.[1];

let planId: string | undefined;

test("is saved with everything it depends on, and an id", async () => {
  const { err } = await project.succeeds("plan", "--out", "first");
  planId = idIn(err);
  assert.ok(planId);
  const { stacks, functions } = JSON.parse(readFileSync(join(folder, "first/reviewed-plan.json"), "utf8"));
  assert.equal(
    stacks.map((stack: { name: string; state: unknown }) => [stack.name, stack.state]),
    [
      ["storage", null],
      ["foundation", null],
      ["search-gateway", null],
    ],
  );
  assert.equal(Object.keys(functions), ["api-router", "log-handler", "search-events"]);
});

test("is saved only to a new folder", async () => {
  const { err, code } = await project.relevance("plan", "--out", "first");
  assert.match(err, "--out: first is not empty");
  assert.is(code, 2);
});

test("is refused when the configuration changed, and the message names the file", async () => {
  project.edit(["api.yaml", ["throttle"], { rate_limit: 5 }]);
  const { err, code } = await project.relevance("deploy", "--plan", "first", "--yes");
  project.edit(["api.yaml", ["throttle"], undefined]);
  assert.match(err, "Changed since the plan was made:\n  the configuration file api.yaml\nNothing was applied.");
  assert.is(code, 1);
});

test("is refused when one of its files was edited, and the message names it", async () => {
  const file = join(folder, "first/storage.tfplan");
  const before = readFileSync(file);
  writeFileSync(file, Buffer.concat([before, Buffer.from("x")]));
  const { err, code } = await project.relevance("deploy", "--plan", "first", "--yes");
  writeFileSync(file, before);
  assert.match(err, "Changed since the plan was made:\n  storage.tfplan in first\n");
  assert.is(code, 1);
});

test("is applied exactly, without planning again", async () => {
  const { err } = await project.succeeds("deploy", "--plan", "first", "--yes");
  assert.is(idIn(err), planId);
  assert.not.match(err, "Planning ");
  assert.match(err, "  model ext_embed_english_v3: works\n");
  assert.is(await liveVersion(), "1");
});

test("status calls the models of Bedrock again, which may be denied after the first calls", async () => {
  const { err } = await project.succeeds("status");
  assert.match(err, "  model ext_embed_english_v3: works\n");
});

test("is applied only once", async () => {
  const { err, code } = await project.relevance("deploy", "--plan", "first", "--yes");
  assert.match(err, "search-gateway.tfplan in first is gone: a plan is applied once");
  assert.is(code, 1);
});

test("is refused when a state has changed since, and the message names stack and serials", async () => {
  project.edit(["api.yaml", ["raw_backend"], { deny: ["DELETE /*"] }]);
  await project.succeeds("plan", "--out", "second");
  const state = join(folder, ".terraform-state", names.stateFile("foundation"));
  const before = readFileSync(state, "utf8");
  const { serial, ...rest } = JSON.parse(before);
  writeFileSync(state, JSON.stringify({ ...rest, serial: serial + 1 }));
  const { err, code } = await project.relevance("deploy", "--plan", "second", "--yes");
  writeFileSync(state, before);
  assert.match(err, `the state of the stack foundation (serial ${serial} when planned, now ${serial + 1})`);
  assert.is(code, 1);
});

test("a second plan publishes a second version", async () => {
  await project.succeeds("deploy", "--plan", "second", "--yes");
  assert.is(await liveVersion(), "2");
  assert.equal(await versions(), ["1", "2"]);
});

test("rollback returns to the first version; the next, approved by its digest, only moves the version forward", async () => {
  const { out } = await project.succeeds("rollback", "--yes");
  assert.match(out, "  api-router: version 2 → 1\n");
  assert.is(await liveVersion(), "1");
  // No plan is saved from here on.
  await project.serveProvider();
  const { out: markdown } = await project.succeeds("plan", "--markdown");
  assert.match(markdown, new RegExp(`^### Plan of ${name}: changes\n`));
  const digest = /^Digest: `([\da-f]{64})`$/m.exec(markdown)?.[1] ?? "";
  // The same plan of another configuration is another plan.
  project.edit(["api.yaml", ["throttle"], { rate_limit: 5 }]);
  const refused = await project.relevance("deploy", "--approved-digest", digest);
  project.edit(["api.yaml", ["throttle"], undefined]);
  assert.match(refused.err, `but ${digest} was approved`);
  assert.equal([refused.code, await liveVersion()], [1, "1"]);
  // No key in the output of a pipeline, and nobody is asked.
  const forward = await project.succeeds("deploy", "--approved-digest", digest, "--no-print-keys");
  assert.match(forward.out, /API key {2}default \(/);
  assert.equal(changesIn(forward.out), ["~ aws_lambda_alias.api-router-live"]);
  assert.match(forward.out, `${FunctionName} was rolled back to version 1: this plan moves it forward again`);
  assert.is(await liveVersion(), "2");
  assert.match((await project.succeeds("plan", "--detailed-exitcode")).out, "\nNothing to change.\n");
});

test("destroy leaves only API Gateway's log role, which belongs to the account", async () => {
  await project.succeeds("destroy", "--destroy-infra", "true", "--yes");
  assert.equal(await projectResources(cloud, name), [`role ${names.role("api-gateway-logs")}`]);
});

test.run();
