// Commands in an account where nothing is deployed: what they refuse, and what they create and remove themselves.
import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { APIGatewayClient, CreateRestApiCommand, DeleteRestApiCommand } from "@aws-sdk/client-api-gateway";
import {
  CreateBucketCommand,
  GetBucketEncryptionCommand,
  GetBucketPolicyCommand,
  GetBucketVersioningCommand,
  GetPublicAccessBlockCommand,
  HeadBucketCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { CreateSecretCommand, GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { GetParameterCommand, PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import * as assert from "uvu/assert";
import { ensureUserIdKey } from "../../cli/apply/deploy-project.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { seedAccount } from "../../packages/local-aws/cloud/seed.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { checkNeededHere } from "../fixtures/check-permissions.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { deployerOf } from "../fixtures/deployer.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { testProject } from "./project.ts";

const test = suite("an account without a deployment");

const cloud = await sharedCloud();
const account = await seedAccount(cloud);
const folder = scratchFolder(TEST_OUTPUT, "account");
const name = `empty-${process.pid}`;
const names = namesOf({ project: name, account: cloud.accountId, region: cloud.region });
const stateBucket = `${name}-state`;
const project = await testProject({
  folder,
  cloud,
  account,
  configuration: "all-options",
  name,
  changes: [["project.yaml", ["terraform", "state", "bucket"], stateBucket]],
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });
const ssm = new SSMClient(clientOptions(cloud));

const nameOf = (error: Error) => error.name;

test("without the bucket for state, the message names the command that creates it", async () => {
  const { err, code } = await project.relevance("destroy", "--destroy-infra", "false", "--yes");
  assert.match(err, "the bucket of terraform.state does not exist: run `relevance init-state` to create it");
  assert.is(code, 1);
});

test("init-state creates a bucket that is versioned, encrypted, not public, TLS only", async () => {
  const { out, code } = await project.relevance("init-state");
  assert.is(code, 0);
  assert.is(out, `${stateBucket} in eu-west-1: created; versioned, encrypted, no public access, TLS only\n`);
  const Bucket = stateBucket;
  assert.is((await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status, "Enabled");
  const { ServerSideEncryptionConfiguration } = await s3.send(new GetBucketEncryptionCommand({ Bucket }));
  assert.is(ServerSideEncryptionConfiguration?.Rules?.[0]?.ApplyServerSideEncryptionByDefault?.SSEAlgorithm, "aws:kms");
  const { PublicAccessBlockConfiguration } = await s3.send(new GetPublicAccessBlockCommand({ Bucket }));
  assert.equal(Object.values(PublicAccessBlockConfiguration ?? {}), [true, true, true, true]);
  const [statement] = JSON.parse((await s3.send(new GetBucketPolicyCommand({ Bucket }))).Policy ?? "{}").Statement;
  assert.equal(
    [statement.Effect, statement.Principal, statement.Action, statement.Condition],
    ["Deny", "*", "s3:*", { Bool: { "aws:SecureTransport": "false" } }],
  );
});

test("init-state with local state says what to set: exit code 2", async () => {
  const local = await testProject({ ...projectAt("local"), changes: [["project.yaml", ["terraform"], undefined]] });
  const { err, code } = await local.relevance("init-state");
  assert.match(err, "terraform.state in project.yaml is local: set type to s3");
  assert.is(code, 2);
});

/** Returns the options of another project in the same account. */
function projectAt(place: string) {
  return {
    folder: join(folder, place),
    cloud,
    account,
    configuration: "all-options" as const,
    name: `${place}-${process.pid}`,
  };
}

test("plan and purge refuse credentials of another account, and name both", async () => {
  const other = await testProject({
    ...projectAt("other"),
    // This configuration contains no ARN, which would have to belong to that account too.
    configuration: "no-custom-domain",
    changes: [["project.yaml", ["aws", "account_id"], "210987654321"]],
  });
  const both = "redentials belong to account 123456789012, but aws.account_id in project.yaml is 210987654321";
  const planned = await other.relevance("plan");
  const purged = await other.relevance("purge", "--yes");
  for (const { err, code } of [planned, purged]) {
    assert.match(err, both);
    assert.is(code, 1);
  }
});

test("plan rejects a sparse model whose files differ from the locked ones", async () => {
  const changed = await testProject(projectAt("changed"));
  writeFileSync(join(changed.folder, "models/sparse_v3/idf.json"), "{}");
  const { err, code } = await changed.relevance("plan");
  assert.match(err, /^sparse_v3: idf\.json in models\/sparse_v3 has sha256 /);
  assert.is(code, 1);
});

test("plan names everything that the account lacks before it plans", async () => {
  const wrong = await testProject({
    ...projectAt("wrong"),
    changes: [
      ["project.yaml", ["opensearch", "domain_name"], "no-such-domain"],
      ["api.yaml", ["domain_name_system", "certificate_arn"], `${account.certificateArn.slice(0, -4)}0000`],
    ],
  });
  const { out, err, code } = await wrong.relevance("plan");
  assert.match(err, "The AWS account does not match the configuration:");
  assert.match(err, "no-such-domain");
  assert.match(err, "certificate");
  assert.equal([out, code], ["", 1]);
});

const KEY = ["rotate-key", "--yes", "--service"];

for (const [promise, args, printed, code] of [
  ["info says that nothing is deployed", ["info"], "No service is deployed: run `relevance deploy`.\n", 0],
  ["info --json is empty", ["info", "--json"], "{}\n", 0],
  ["list has nothing", ["list"], "This project has no resources in Terraform's state or in Personalize.\n", 0],
  [
    "rotate-key has no key to replace",
    [...KEY, "search-gateway"],
    "search-gateway is not deployed, so it has no key to replace: run `relevance deploy` first\n",
    1,
  ],
  ["rotate-key rejects unknown services", [...KEY, "it"], "--service: must be search-gateway or recommendation\n", 2],
  ["destroy requires --destroy-infra", ["destroy", "--yes"], "required option '--destroy-infra <true|false>' not", 2],
  [
    "--destroy-infra has two values",
    ["destroy", "--destroy-infra", "no"],
    "--destroy-infra: must be true or false\n",
    2,
  ],
  [
    "destroy has nothing to remove",
    ["destroy", "--destroy-infra", "true", "--yes"],
    "There is nothing to remove.\n",
    0,
  ],
  ["purge requires --yes without a terminal", ["purge"], `All data of ${name} will be lost. There is no terminal`, 2],
] as const) {
  test(promise, async () => {
    const run = await project.relevance(...args);
    assert.match(run.out + run.err, printed);
    assert.is(run.code, code);
  });
}

test("destroy --destroy-infra true is refused while the recommendation service is deployed", async () => {
  const gateway = new APIGatewayClient(clientOptions(cloud));
  const { id: restApiId } = await gateway.send(new CreateRestApiCommand({ name: names.api("recommendation") }));
  const { err, code } = await project.relevance("destroy", "--destroy-infra", "true", "--yes");
  await gateway.send(new DeleteRestApiCommand({ restApiId }));
  assert.match(err, "The recommendation service is deployed and uses what --destroy-infra true would remove");
  assert.is(code, 1);
});

test("purge removes a bucket and parameters that are in no state, and names the keys that it cannot remove", async () => {
  const Bucket = names.bucket();
  await s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration: { LocationConstraint: "eu-west-1" } }));
  await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: "Enabled" } }));
  for (const Body of ["1", "2"]) await s3.send(new PutObjectCommand({ Bucket, Key: "k", Body }));
  const gateway = Array.from({ length: 11 }, (_, index) => `search-gateway/p${index}`);
  const ours = [...gateway, "recommendation/p"].map((path) => `${names.parameterPrefix()}${path}`);
  const others = `/relevance/${name}x/kept`;
  for (const Name of [...ours, others]) await ssm.send(new PutParameterCommand({ Name, Value: "v", Type: "String" }));

  // The search gateway was destroyed properly: its state has changed, and is empty.
  const emptied = { version: 4, terraform_version: "1.10.0", serial: 9, lineage: randomUUID(), resources: [] };
  const state = { Bucket: stateBucket, Key: names.stateKey("search-gateway", "teams/search") };
  await s3.send(new PutObjectCommand({ ...state, Body: JSON.stringify(emptied) }));
  const { err, code } = await project.relevance("purge", "--yes");
  assert.is(code, 0, err);
  assert.match(err, `${Bucket}: 2 object versions deleted`);
  assert.match(err, "12 parameters");
  const keys = [...err.matchAll(/^ {2}(alias\/\S+)$/gm)].map(([, alias]) => alias);
  assert.equal(keys, [
    names.kmsAlias(),
    names.serviceKmsAlias("personalization"),
    names.serviceKmsAlias("recommendation"),
  ]);
  assert.match(err, `describe-key --region eu-west-1 --key-id ${names.kmsAlias()} --query KeyMetadata.KeyId`);
  assert.is(await s3.send(new HeadBucketCommand({ Bucket })).catch(nameOf), "NotFound");
  assert.is(await ssm.send(new GetParameterCommand({ Name: ours[0] })).catch(nameOf), "ParameterNotFound");
  assert.is((await ssm.send(new GetParameterCommand({ Name: others }))).Parameter?.Value, "v");
});

test("creates the key for user ids once and keeps it", async () => {
  const secrets = new SecretsManagerClient(clientOptions(cloud));
  const SecretId = names.userIdKeyParameter();
  await secrets.send(new CreateSecretCommand({ Name: SecretId }));
  Object.assign(process.env, (await deployerOf(cloud, name)).env);
  const sdk = { region: cloud.region };
  const value = async () => (await secrets.send(new GetSecretValueCommand({ SecretId }))).SecretString;
  assert.is(await ensureUserIdKey(sdk, SecretId), true);
  const first = await value();
  assert.is(await ensureUserIdKey(sdk, SecretId), false);
  assert.is(await value(), first);
});

test("the deployer needs permissions here that the end-to-end run does not", () =>
  checkNeededHere({ cloud, project: name }, "account.test"));

test.run();
