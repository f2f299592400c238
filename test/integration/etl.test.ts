import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { ListObjectsV2Command, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from "@aws-sdk/client-sfn";
import { BatchWriteCommand, DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import * as assert from "uvu/assert";
import { buildFunctions } from "../../build/functions.ts";
import type { EtlEnvInput } from "../../functions/etl/env.ts";
import { recommendationFunctions } from "../../lib/infrastructure/functions.ts";
import { stateMachineDefinitions } from "../../lib/infrastructure/state-machines.ts";
import { readText } from "../../lib/platform/aws/object-store.ts";
import { s3ObjectStore } from "../../lib/platform/aws/s3-object-store.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import type { Manifest } from "../../lib/recommendation/etl/tasks.ts";
import { eventLine } from "../../lib/recommendation/records/layout.ts";
import { createBucket } from "../../packages/local/dev/clients.ts";
import { createDeployedRoles } from "../../packages/local/dev/deployed-roles.ts";
import { createFunction, createTables } from "../../packages/local/dev/resources.ts";
import { unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { recommendation } from "../fixtures/configurations/configurations.ts";
import { DEFINITIONS, event, ITEM, readManifest, USER } from "../lib/recommendation/etl/run.ts";
import { suite } from "../suite.ts";

const test = suite("ETL on the local AWS endpoint");

const EVENTS = 100_000;
const USERS = 60;
const today = new Date().toISOString().slice(0, 10);
const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

const cloud = await sharedCloud();
const options = { ...clientOptions(cloud), forcePathStyle: true };
const s3 = new S3Client(options);
const sfn = new SFNClient(options);
const dynamo = DynamoDBDocumentClient.from(new DynamoDBClient(options));
const folder = mkdtempSync(join(tmpdir(), "etl-"));
const project = unique("etl").slice(0, 17);
const names = namesOf({ project, account: cloud.accountId, region: cloud.region });
const bucket = names.bucket();
const store = s3ObjectStore(s3, bucket);
const tables = { users: names.table("users"), items: names.table("items"), popular: names.table("popular-items") };
let machine = "";

const put = (Key: string, Body: string | Uint8Array) => s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));

/** Writes half of the events on each day; one in ten of the second day repeats one of the first day. */
async function putEvents() {
  const half = EVENTS / 2;
  const lines = (day: number) =>
    Array.from({ length: half }, (_, index) => {
      const number = day * half + index;
      const id = day === 1 && index % 10 === 0 ? `e${index}` : `e${number}`;
      return eventLine(
        event(id, {
          USER_ID: `U${number % 997}`,
          ITEM_ID: `B${number % 101}`,
          IMPRESSION: "B1|B2",
          TIMESTAMP: 1_740_000_000 + number,
        }),
      );
    });
  const first = lines(0);
  await put(`events/${yesterday.replaceAll("-", "/")}/01/a`, first.slice(0, 30_000).join(""));
  await put(`events/${yesterday.replaceAll("-", "/")}/02/b.gz`, gzipSync(first.slice(30_000).join("")));
  await put(`events/${today.replaceAll("-", "/")}/00/a`, `${lines(1).join("")}this is no event\n`);
}

test.before(async () => {
  await createDeployedRoles(cloud, recommendation([["project.yaml", ["project_name"], project]]));
  await createBucket(s3, bucket, cloud.region);
  await createTables(dynamo, names, ["users", "items", "popular-items"]);
  const users = Array.from({ length: USERS }, (_, index) => ({
    PutRequest: { Item: { ...USER, USER_ID: `U${index}` } },
  }));
  for (let at = 0; at < USERS; at += 25) {
    await dynamo.send(new BatchWriteCommand({ RequestItems: { [tables.users]: users.slice(at, at + 25) } }));
  }
  const items = [ITEM, { ITEM_ID: "broken" }].map((Item) => ({ PutRequest: { Item } }));
  await dynamo.send(new BatchWriteCommand({ RequestItems: { [tables.items]: items } }));

  await putEvents();

  const { etl: built } = await buildFunctions({
    outdir: folder,
    functions: ["etl"],
    files: { etl: { "config.json": JSON.stringify(DEFINITIONS) } },
  });
  const personalize = { log_lookback_days: 3, force_reprocess_lookback_days: 0 };
  const { etl } = recommendationFunctions({ names, project, account: cloud.accountId, personalize, bufferSeconds: 0 });
  const environment = { ...etl.environment, ENGINE_MEMORY_MB: "200" } satisfies EtlEnvInput;
  const lambda = new LambdaClient(options);
  await createFunction(lambda, { cloud, names }, "etl", { ...etl, environment, zip: built?.zip ?? "" });
  const made = await sfn.send(
    new CreateStateMachineCommand({
      name: names.stateMachine("etl"),
      roleArn: names.roleArn(names.role("state-machines")),
      definition: JSON.stringify(stateMachineDefinitions(names, 2).etl),
    }),
  );
  machine = made.stateMachineArn ?? "";
});

test.after(() => rmSync(folder, { recursive: true }));

const start = (name: string, mode: string) =>
  sfn.send(
    new StartExecutionCommand({
      stateMachineArn: machine,
      name,
      input: JSON.stringify({ mode, checks: [{ name: "user_personalization", event_type: "view" }] }),
    }),
  );

async function ended(executionArn: string | undefined) {
  return waitFor(
    async () => {
      const found = await sfn.send(new DescribeExecutionCommand({ executionArn }));
      return found.status !== "RUNNING" && found;
    },
    { what: "the execution to end", timeoutMs: 120_000, intervalMs: 200 },
  );
}

async function run(name: string, mode = "init"): Promise<Manifest> {
  const { executionArn } = await start(name, mode);
  const { status, error, cause } = await ended(executionArn);
  assert.is(status, "SUCCEEDED", `${error}: ${cause}`);
  const manifest = await readManifest(store, name);
  assert.ok(manifest);
  return manifest;
}

async function rows(manifest: Manifest, dataset: "user" | "item" | "interaction"): Promise<string[]> {
  const texts = await Promise.all(manifest[dataset].files.map(({ key }) => readText(store, key)));
  return texts.flatMap((text) => (text ?? "").trimEnd().split("\n").slice(1));
}

test("writes every event of plain and gzip objects once, drops duplicates across days and counts rejects", async () => {
  const manifest = await run("first");
  assert.equal(
    [manifest.interaction.rows, manifest.duplicates, manifest.interaction.rejected],
    [EVENTS * 0.95, EVENTS * 0.05, 1],
  );
  const written = await rows(manifest, "interaction");
  assert.is(written.length, EVENTS * 0.95);
  assert.is(new Set(written).size, EVENTS * 0.95);
  assert.ok(
    written.every((row) => row.endsWith(",")),
    "IMPRESSION is empty in mode init",
  );
  assert.match((await readText(store, manifest.interaction.rejects[0] ?? "")) ?? "", "this is no event");
});

test("writes the tables' records, and rejects those that do not fit the schema", async () => {
  const manifest = await readManifest(store, "first");
  assert.ok(manifest);
  assert.equal([manifest.user.rows, manifest.item.rows, manifest.item.rejected], [USERS, 1, 1]);
  assert.equal(await rows(manifest, "item"), ['"True","A \\"quoted\\", title","B1","Ada","a|b"']);
});

test("counts what training checks, and replaces the popular items", async () => {
  const manifest = await readManifest(store, "first");
  assert.equal(manifest?.checks, [
    { name: "user_personalization", interactions: EVENTS * 0.95, users: 997, users_with_two: 997 },
  ]);
  const { Item } = await dynamo.send(new GetCommand({ TableName: tables.popular, Key: { LIST: "all" } }));
  assert.equal([Item?.RUN, Item?.ITEMS.length], ["first", 101]);
});

test("fills IMPRESSION in mode update_dataset_group", async () => {
  const manifest = await run("second", "update_dataset_group");
  const written = await rows(manifest, "interaction");
  assert.is(written.length, EVENTS * 0.95);
  assert.ok(written.every((row) => row.endsWith(',"B1|B2"')));
});

test("a run that was stopped in the middle and started again gives the result of an undisturbed run", async () => {
  await put(`events/${today.replaceAll("-", "/")}/03/c`, eventLine(event("later")));
  const { executionArn } = await start("stopped", "init");
  await waitFor(async () => (await readText(store, "etl/run=stopped/results/item-0000.json")) !== undefined, {
    what: "the first map to read the items",
    timeoutMs: 60_000,
    intervalMs: 20,
  });
  await sfn.send(new StopExecutionCommand({ executionArn }));
  const again = await run("again");
  const undisturbed = await run("undisturbed");
  assert.equal([again.interaction.rows, again.duplicates], [EVENTS * 0.95 + 1, EVENTS * 0.05]);
  assert.equal(await rows(again, "interaction"), await rows(undisturbed, "interaction"));
});

test("fails with the reason, and leaves no manifest, if an object cannot be read", async () => {
  const Prefix = "etl/days/";
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix }));
  const partition = Contents.find(({ Key }) => Key?.endsWith(".parquet"))?.Key ?? "";
  await put(partition, "cut off");
  const { executionArn } = await start("broken", "init");
  const { status, cause } = await ended(executionArn);
  assert.is(status, "FAILED");
  assert.match(cause ?? "", "shards of events were not written");
  assert.match(cause ?? "", `EtlError: ${partition} cannot be read`);
  assert.is(await readManifest(store, "broken"), undefined);
});

test.run();
