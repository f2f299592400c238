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

test("init-state can be repeated", async () => {
  assert.match((await project.relevance("init-state")).out, `${stateBucket} in eu-west-1: already exists; versioned`);
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

for (const command of [
  ["plan"],
  ["deploy", "--yes"],
  ["destroy", "--destroy-infra", "true", "--yes"],
  ["purge", "--yes"],
]) {
  test(`${command[0]} refuses credentials of another account, and names both`, async () => {
    const other = await testProject({
      ...projectAt("other"),
      // This configuration contains no ARN, which would have to belong to that account too.
      configuration: "no-custom-domain",
      changes: [["project.yaml", ["aws", "account_id"], "210987654321"]],
    });
    const { err, code } = await other.relevance(...command);
    assert.match(
      err.toLowerCase(),
      "the credentials belong to account 123456789012, but aws.account_id in project.yaml is 210987654321",
    );
    assert.is(code, 1);
  });
}

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

test("without Terraform, plan says what to install before it reads the account", async () => {
  const without = await testProject({ ...projectAt("without"), env: { TERRAFORM_BINARY: "", PATH: "/nowhere" } });
  const { err, code } = await without.relevance("plan");
  assert.match(err, /^Terraform is missing: /);
  assert.is(code, 1);
});

test("info says that nothing is deployed", async () => {
  const { out, err } = await project.relevance("info");
  assert.equal([out, err], ["", "No service is deployed: run `relevance deploy`.\n"]);
  assert.is((await project.relevance("info", "--json")).out, "{}\n");
});

test("rotate-key has no key to replace, and rejects unknown services", async () => {
  const { err, code } = await project.relevance("rotate-key", "--service", "search-gateway", "--yes");
  assert.equal(
    [err, code],
    ["search-gateway is not deployed, so it has no key to replace: run `relevance deploy` first\n", 1],
  );
  const wrong = await project.relevance("rotate-key", "--service", "gateway", "--yes");
  assert.equal([wrong.err, wrong.code], ["--service: must be search-gateway or recommendation\n", 2]);
});

test("destroy has no default for --destroy-infra, and accepts only true and false", async () => {
  const missing = await project.relevance("destroy", "--yes");
  assert.match(missing.err, "required option '--destroy-infra <true|false>' not specified");
  const wrong = await project.relevance("destroy", "--destroy-infra", "yes");
  assert.equal([wrong.err, missing.code, wrong.code], ["--destroy-infra: must be true or false\n", 2, 2]);
});

test("destroy has nothing to remove", async () => {
  const { err, code } = await project.relevance("destroy", "--destroy-infra", "true", "--yes");
  assert.match(err, "There is nothing to remove.\n");
  assert.is(code, 0);
});

test("destroy --destroy-infra true is refused while the recommendation service is deployed", async () => {
  const gateway = new APIGatewayClient(clientOptions(cloud));
  const { id: restApiId } = await gateway.send(new CreateRestApiCommand({ name: names.api("recommendation") }));
  const { err, code } = await project.relevance("destroy", "--destroy-infra", "true", "--yes");
  await gateway.send(new DeleteRestApiCommand({ restApiId }));
  assert.match(err, "The recommendation service is deployed and uses what --destroy-infra true would remove");
  assert.is(code, 1);
});

test("list has nothing to show", async () => {
  const { out, err, code } = await project.relevance("list");
  assert.is(code, 0, err);
  assert.is(out, "This project has no resources in Terraform's state or in Personalize.\n");
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

test("purge asks for the project's name, and needs --yes without a terminal", async () => {
  const { err, code } = await project.relevance("purge");
  assert.match(err, `All data of ${name} will be lost. There is no terminal to answer on`);
  assert.is(code, 2);
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
