// The configuration files in the bucket: what `plan` says about them, and what `deploy` does.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
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
import {
  compareConfiguration,
  configurationNotes,
  storedConfiguration,
  synchronizeConfiguration,
} from "../../cli/state/configuration-objects.ts";
import { createTerminal } from "../../cli/terminal.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { checkNeededHere } from "../fixtures/check-permissions.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { type Change, configuration, configurationFolder } from "../fixtures/configurations/configurations.ts";
import { asDeployer } from "../fixtures/deployer.ts";
import { suite } from "../suite.ts";

const test = suite("configuration files in the bucket");

const cloud = await sharedCloud();
const project = `files-${process.pid}`;
const named = (name: string) => configuration("minimal", [["project.yaml", ["project_name"], name]]);
const deployer = await asDeployer(cloud, named(project));
Object.assign(process.env, deployer.env);
const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });

const sdk = { region: cloud.region };
const bucket = namesOf({ project, account: cloud.accountId, region: cloud.region }).bucket();
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
  const files = await storedConfiguration({ sdk }, bucket);
  assert.equal([Object.keys(files).sort(), files["project.yaml"]], [FILES, stored]);
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

test("the deployer needs permissions here that the end-to-end run does not", () =>
  checkNeededHere({ cloud, project }, "configuration-objects.test"));

test.run();
