// The configuration files in the bucket: what `plan` says about them, what `deploy` does, and an earlier state.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { planStacks } from "../../cli/plan/planned.ts";
import {
  compareConfiguration,
  configurationNotes,
  storedConfiguration,
  synchronizeConfiguration,
} from "../../cli/state/configuration-objects.ts";
import { createTerminal } from "../../cli/terminal.ts";
import { findTerraform } from "../../cli/terraform/binary.ts";
import { namesOf } from "../../lib/core/naming/names.ts";
import { scratchFolder } from "../../local/process/scratch.ts";
import { checkNeededHere } from "../fixtures/check-permissions.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { type Change, configuration, configurationFolder } from "../fixtures/configurations/configurations.ts";
import { asDeployer } from "../fixtures/deployer.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { writeStacks } from "../fixtures/plans.ts";
import { initTerraform, terraformOk } from "../fixtures/terraform.ts";
import { ref } from "../stacks/support.ts";
import { suite } from "../suite.ts";
import { terraform } from "./project.ts";

const test = suite("configuration files in the bucket");

/** Terraform's JSON of a stack. */
interface Stack {
  resource: Record<string, object>;
  removed?: unknown;
}

const cloud = await sharedCloud();
const project = `files-${process.pid}`;
const named = (name: string) => configuration("minimal", [["project.yaml", ["project_name"], name]]);
const deployer = await asDeployer(cloud, named(project));
// A bucket of its own, because Terraform creates that of the project.
const other = `other-${process.pid}`;
await deployer.permit(named(other));
Object.assign(process.env, deployer.env);
const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });
const folder = scratchFolder(TEST_OUTPUT, "configuration-objects");
test.after(() => rmSync(folder, { recursive: true, force: true }));

const sdk = { region: cloud.region };
const bucket = namesOf({ project: other, account: cloud.accountId, region: cloud.region }).bucket();
const FILES = ["api.yaml", "hybrid_search.yaml", "model.yaml", "project.yaml"];

/** Synchronizes, and returns what was printed. */
async function synchronized(changes: readonly Change[] = []): Promise<string> {
  let printed = "";
  const terminal = createTerminal({ write: () => {} }, { write: (text) => (printed += text) }, true);
  await synchronizeConfiguration({ sdk, config: configuration("minimal", changes), terminal }, bucket);
  return printed;
}

const textOf = async (Key: string) =>
  (await s3.send(new GetObjectCommand({ Bucket: bucket, Key }))).Body?.transformToString() ?? "";
const versions = async () => (await s3.send(new ListObjectVersionsCommand({ Bucket: bucket }))).Versions?.length ?? 0;

test("plans to write all of them if there is no bucket", async () => {
  const changes = await compareConfiguration({ sdk, config: configuration("minimal") }, bucket);
  assert.equal(changes, { write: Object.keys(configuration("minimal").files).sort(), remove: [] });
});

test("writes and names all of them, with their values and without comments", async () => {
  const LocationConstraint = "eu-west-1";
  await s3.send(new CreateBucketCommand({ Bucket: bucket, CreateBucketConfiguration: { LocationConstraint } }));
  await s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: "Enabled" } }));
  assert.is(await synchronized(), FILES.map((file) => `  ${file}: written\n`).join(""));
  const stored = await textOf("configuration/project.yaml");
  const source = readFileSync(join(configurationFolder("minimal"), "project.yaml"), "utf8");
  assert.equal(parse(stored), parse(source));
  assert.not.match(stored, "#");
});

test("writes nothing, and plans nothing, when only a comment has changed", async () => {
  const before = await versions();
  assert.is(await synchronized(), "");
  const config = configuration("minimal");
  const commented = Object.fromEntries(Object.entries(config.files).map(([name, text]) => [name, `# c\n${text}`]));
  const changes = await compareConfiguration({ sdk, config: { ...config, files: commented } }, bucket);
  assert.equal([changes, configurationNotes(changes)], [{ write: [], remove: [] }, []]);
  assert.is(await versions(), before);
});

test("writes only files that differ and removes files that are gone, as the plan's note says before", async () => {
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: "configuration/etl/old.json", Body: "{}" }));
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: "events/kept.json", Body: "{}" }));
  const change: Change = ["api.yaml", ["throttle"], { rate_limit: 7 }];
  const before = await versions();
  const changes = await compareConfiguration({ sdk, config: configuration("minimal", [change]) }, bucket);
  assert.equal(configurationNotes(changes), [
    "Configuration files in the bucket: api.yaml will be written; etl/old.json will be removed",
  ]);
  assert.is(await versions(), before);
  assert.is(await synchronized([change]), "  api.yaml: written\n  etl/old.json: removed\n");
  assert.is(parse(await textOf("configuration/api.yaml")).throttle.rate_limit, 7);
  const gone = await textOf("configuration/etl/old.json").catch((error: Error) => error.name);
  assert.equal([gone, await textOf("events/kept.json")], ["NoSuchKey", "{}"]);
  assert.is(await synchronized([change]), "");
});

test("rewrites files that something else has written", async () => {
  await synchronized();
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: "configuration/model.yaml", Body: "by: hand" }));
  assert.is(await synchronized(), "  model.yaml: written\n");
});

test("tells an api.yaml that an earlier version wrote, where keys meant more, and writes it again", async () => {
  const session = { sdk, config: configuration("minimal") };
  assert.equal([...(await storedConfiguration(session, bucket)).earlier], []);
  const Key = "configuration/api.yaml";
  const { Metadata: { form: _, ...Metadata } = {}, Body } = await s3.send(
    new GetObjectCommand({ Bucket: bucket, Key }),
  );
  const text = (await Body?.transformToString()) ?? "";
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Metadata, Body: text }));
  const stored = await storedConfiguration(session, bucket);
  assert.equal([[...stored.earlier], stored.files["api.yaml"]], [["api.yaml"], text]);
  assert.is(await synchronized(), "  api.yaml: written\n");
  assert.equal([...(await storedConfiguration(session, bucket)).earlier], []);
});

test("reports a refusal by S3 with the bucket's name and the required permission", async () => {
  const server = createServer((_, response) => {
    response.writeHead(403, { "content-type": "application/xml" });
    response.end("<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const session = { sdk: { ...sdk, endpoint }, config: configuration("minimal") };
  const error = await compareConfiguration(session, bucket).catch((thrown: Error) => thrown);
  server.close();
  assert.match(
    String(error),
    `Bucket ${bucket} cannot be read: AccessDenied: Access Denied. The credentials need s3:Li`,
  );
});

test("forgets files that a state has as resources, without deleting them", async () => {
  const config = configuration("minimal", [["project.yaml", ["project_name"], project]]);
  const names = namesOf({ project, account: cloud.accountId, region: cloud.region });
  // Only the bucket: the rest of the stack takes minutes to apply, and has nothing to do with the files.
  const write = (change: (stack: Stack) => Stack) => {
    const [stack = { name: "storage", directory: "" }] = writeStacks(config, { folder, stacks: ["storage"] });
    const file = join(stack.directory, "cdk.tf.json");
    const { output: _, ...whole } = JSON.parse(readFileSync(file, "utf8"));
    const { aws_s3_bucket } = whole.resource;
    writeFileSync(file, JSON.stringify(change({ ...whole, resource: { aws_s3_bucket } })));
    return stack;
  };
  const object = (path: string) => ({
    bucket: ref("aws_s3_bucket.bucket.id"),
    key: `configuration/${path}`,
    content: path,
  });
  const aws_s3_object = {
    "configuration-api-yaml": object("api.yaml"),
    "configuration-gone-json": object("gone.json"),
  };
  // An earlier version synthesized objects as resources; one belongs to a file that no longer exists. Applied as the
  // root user, because deployers needed other permissions for it.
  const { directory } = write(({ removed: _, resource, ...earlier }) => ({
    ...earlier,
    resource: { ...resource, aws_s3_object },
  }));
  await initTerraform(terraform, directory, { env: cloud.env });
  await terraformOk(terraform, directory, ["apply", "-auto-approve", "-no-color"], cloud.env);

  const env = { ...process.env, ...cloud.env, TF_PROVIDER_MIRROR: terraform.mirror };
  const runner = { terraform: await findTerraform(env), env, cacheFolder: join(folder, "providers"), note: () => {} };
  const planned = () => planStacks(runner, [write((stack) => stack)], { folder: join(folder, "plans") });
  const { summary, stacks } = await planned();
  assert.equal(
    summary.stacks.flatMap(({ changes }) => changes.map(({ action, address }) => `${action} ${address}`)).sort(),
    ["delete aws_s3_object.configuration-gone-json", "forget aws_s3_object.configuration-api-yaml"],
  );
  await terraformOk(terraform, directory, ["apply", "-no-color", resolve(stacks[0]?.file ?? "")], cloud.env);
  const keys = await s3.send(new ListObjectVersionsCommand({ Bucket: names.bucket() }));
  assert.equal(
    keys.Versions?.map(({ Key }) => Key),
    ["configuration/api.yaml"],
  );
  assert.equal((await planned()).summary.changes, false);
});

test("the deployer needs permissions here that the end-to-end run does not", () =>
  checkNeededHere({ cloud, project }, "configuration-objects.test"));

test.run();
