// State of one account or region is not used for another, and state moves to a new place once.
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import { findTerraform } from "../../cli/terraform/binary.ts";
import { initStack, pullState, type StackFolder } from "../../cli/terraform/stack.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { seedAccount } from "../../packages/local-aws/cloud/seed.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { synthesizeRemoval } from "../../stacks/removal.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { type Change, configuration } from "../fixtures/configurations/configurations.ts";
import { asDeployer } from "../fixtures/deployer.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { terraform, testProject } from "./project.ts";

const test = suite("places of Terraform's state");

const cloud = await sharedCloud();
const account = await seedAccount(cloud);
const folder = scratchFolder(TEST_OUTPUT, "bucket-state");
test.after(() => rmSync(folder, { recursive: true, force: true }));

const bucket = account.stateBucket;
const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });
const inBucket = (key_prefix: string): Change => [
  "project.yaml",
  ["terraform"],
  { state: { type: "s3", bucket, region: cloud.region, key_prefix } },
];
const deployer = await asDeployer(cloud, configuration("minimal", [inBucket("any")]));
const stateOf = (serial: number) =>
  JSON.stringify({ version: 4, terraform_version: "1.10.0", serial, lineage: randomUUID(), resources: [] });
const put = (Key: string, Body: string) => s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));

/** Prepares a stack's folder, as a deployment does, or as commands do that only read and remove. */
async function initialized(
  place: string,
  changes: readonly Change[],
  more: Partial<StackFolder> = {},
  account = cloud.accountId,
) {
  const env = { ...process.env, ...deployer.env, TF_PROVIDER_MIRROR: terraform.mirror };
  const runner = { terraform: await findTerraform(env), env, cacheFolder: join(folder, "providers"), note: () => {} };
  const outdir = join(folder, place);
  const config = configuration("minimal", changes);
  const input = { config, account, outdir, stateFolder: join(folder, "state") };
  const [written] = synthesizeRemoval({ ...input, stacks: ["storage"] });
  if (!written) throw new Error("nothing was written");
  const stack = { ...written, ...more };
  await initStack(runner, stack);
  // Without a state, Terraform pulls nothing or an empty one.
  return ((await pullState(runner, stack)) as { serial?: number } | undefined)?.serial ?? 0;
}

test("reads another region's state as it is, and moves nothing to it", async () => {
  const prefix = `regions-${process.pid}`;
  const key = (region: string) =>
    namesOf({ project: "minimal", account: cloud.accountId, region }).stateKey("storage", prefix);
  await put(key("eu-west-1"), stateOf(7));
  assert.is(await initialized("regions", [inBucket(prefix)]), 7);
  const elsewhere: Change = ["project.yaml", ["aws", "region_name"], "us-east-1"];
  const there: Change[] = [
    inBucket(prefix),
    elsewhere,
    ["project.yaml", ["opensearch", "domain"], "vpc-books-abcdefghijklmnopqrstuvwxyz.us-east-1.es.amazonaws.com"],
    ["api.yaml", ["domain_name_system"], null],
  ];
  assert.is(await initialized("regions", there), 0);
  const gone = await s3
    .send(new GetObjectCommand({ Bucket: bucket, Key: key("us-east-1") }))
    .catch((error: Error) => error.name);
  assert.is(gone, "NoSuchKey");
  assert.is(await initialized("regions", [inBucket(prefix)]), 7);
});

test("state on this machine is separate for a second account in the same working folder", async () => {
  const file = join(
    folder,
    "state",
    namesOf({ project: "minimal", account: "210987654321", region: "eu-west-1" }).stateFile("storage"),
  );
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, stateOf(7));
  for (const [account, serial] of [
    ["210987654321", 7],
    [cloud.accountId, 0],
    ["210987654321", 7],
  ] as const) {
    assert.is(await initialized("accounts", [], {}, account), serial);
  }
});

test("tells how to migrate state that moves to a bucket, and names the folder of the deployment", async () => {
  const prefix = `moved-${process.pid}`;
  await initialized("deployment", []);
  const error = await initialized("deployment", [inBucket(prefix)]).catch(String);
  const directory = join(folder, "deployment/stacks/storage");
  assert.match(
    String(error),
    "terraform.state in project.yaml no longer names the place of the state. Migrate each stack",
  );
  assert.match(String(error), `-chdir=${directory} init -migrate-state\``);
});

test("the folders of other commands read state from its current place", async () => {
  const prefix = `read-${process.pid}`;
  const scratch = { scratch: true };
  assert.is(await initialized("removal", [], scratch), 0);
  await put(
    namesOf({ project: "minimal", account: cloud.accountId, region: "eu-west-1" }).stateKey("storage", prefix),
    stateOf(3),
  );
  assert.is(await initialized("removal", [inBucket(prefix)], scratch), 3);
  assert.is(await initialized("removal", [inBucket(`${prefix}-again`)], scratch), 0);
});

test("a removal resumes after the state has moved", async () => {
  const name = `moving-${process.pid}`;
  const project = await testProject({ folder: join(folder, name), cloud, account, configuration: "minimal", name });
  for (const state of [undefined, inBucket(name)]) {
    if (state) project.edit(state);
    const { err, code } = await project.relevance("destroy", "--destroy-infra", "false", "--yes");
    assert.match(err, "There is nothing to remove.");
    assert.is(code, 0);
  }
});

test.run();
