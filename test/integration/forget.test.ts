// Deletes one person's data everywhere with a command that is killed twice on the way.
import { gunzipSync, gzipSync } from "node:zlib";
import { GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { ListDataDeletionJobsCommand } from "@aws-sdk/client-personalize";
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import {
  CreateQueueCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import * as assert from "uvu/assert";
import { DELETIONS } from "../../lib/platform/naming/object-keys.ts";
import { concurrently } from "../../lib/platform/resilience/concurrently.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { localFolder } from "../cli/local-world.ts";
import { clientOptions } from "../fixtures/cloud.ts";
import { permittedUser } from "../fixtures/permitted-user.ts";
import { type TrainingWorld, trainingWorld } from "../lib/recommendation/training/world.ts";
import { suite } from "../suite.ts";

const test = suite("relevance forget");

/** So many objects that a kill after the first chunk comes before the last. */
const OBJECTS = 320;
const USER = "Zoë-4711";
const FORGET = ["forget", "--local", "--user", USER, "--yes"] as const;

let world: TrainingWorld;
let local: ReturnType<typeof localFolder>;

const eventsKey = (index: number) => `events/2026/01/01/00/${String(index).padStart(4, "0")}`;
const searchKey = "logs/search/day=2026-01-01/one.gz";
const clickKey = "logs/events/day=2026-01-01/one.gz";
const event = (USER_ID: string, index: number) =>
  `{"USER_ID":${JSON.stringify(USER_ID)},"ITEM_ID":"B1","N":${index}.0}\n`;

const sessionKey = "events/2026/01/02/00/0000";
const listKey = "logs/recommendations/day=2026-01-02/one.gz";
/** Visits in which the person logged in, one of which has the id of another user, and a visit of somebody else. */
const VISITS = [
  { ANONYMOUS: true, USER_ID: "s1", SESSION_ID: "s1", ITEM_ID: "B1" },
  { USER_ID: USER, SESSION_ID: "s1", ITEM_ID: "B2" },
  { ANONYMOUS: true, USER_ID: "s2", SESSION_ID: "s2", ITEM_ID: "B1" },
  { USER_ID: USER, SESSION_ID: "U2", ITEM_ID: "B3" },
];
const list = (user_id: string | null, session_id: string | null) => ({
  ...{ type: "relevance.recommendation", user_id, session_id },
});
/** Only the list itself says that the visit s4 is the person's. */
const LISTS = [
  ...[list("s1", "s1"), list(USER, "s1"), list("s4", "s4"), list(USER, "s4"), list(USER, "U2")],
  ...[list("U2", null), list("U2", "U2"), list(null, null), list("s2", "s2")],
];

const batchKey = "batch/abc-1/lists.jsonl";
const BATCH = [
  ...[
    { user_id: USER, items: [] },
    { user_id: "U2", items: [{ ITEM_ID: USER }] },
    { userId: USER, filterValues: {} },
  ],
  ...[
    { input: { userId: USER }, output: { recommendedItems: [] } },
    { input: { userId: "U2" }, error: null },
  ],
];
const errorKey = "errors/events/processing-failed/day=2026-01-01/one";
const logErrorKey = "errors/recommendation-logs/processing-failed/day=2026-01-01/one";
/** A line of Firehose about a record that it could not deliver. */
const undelivered = (...lines: readonly string[]) =>
  `${JSON.stringify({ errorCode: "Lambda.FunctionError", rawData: Buffer.from(lines.join("")).toString("base64") })}\n`;

let sqs: SQSClient;
let failedLogs: string;
const queuedUsers = async () => {
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: failedLogs }));
  const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 });
  const { Messages = [] } = await sqs.send(receive);
  return Messages.flatMap(({ Body = "" }) => {
    const { data } = JSON.parse(Body).requestPayload.awslogs;
    const { logEvents } = JSON.parse(gunzipSync(Buffer.from(data, "base64")).toString());
    return logEvents.map(({ id }: { id: string }) => id);
  });
};

const put = (Key: string, Body: Buffer) => world.s3.send(new PutObjectCommand({ Bucket: world.bucket, Key, Body }));
const read = async (Key: string) => {
  const { Body } = await world.s3.send(new GetObjectCommand({ Bucket: world.bucket, Key }));
  return gunzipSync((await Body?.transformToByteArray()) ?? "").toString();
};
const keys = async (Prefix: string) => {
  const { Contents = [] } = await world.s3.send(new ListObjectsV2Command({ Bucket: world.bucket, Prefix }));
  return Contents.map(({ Key }) => Key);
};

const lastItems = (user: string) => ({
  ...{ KEY: { S: `user#${user}` }, RUN: { S: "old" }, ITEMS: { L: [{ S: "B1" }] } },
  MORE: { N: "1" },
});
const histories = (user: string) => [
  lastItems(user),
  ...["more#1", "recent"].map((kind) => ({ ...lastItems(user), KEY: { S: `${kind}#${user}` } })),
];

test.before(async () => {
  world = await trainingWorld({ project: "demo", delays: { importing: 86_400_000 } });
  local = localFolder(world.cloud.endpoint);
  sqs = new SQSClient(clientOptions(world.cloud));
  failedLogs = world.names.queue("recommendation-log-failed");
  await world.deployPersonalize();
  const record = { USER_ID: { S: USER }, GENDER: { S: "F" } };
  await world.dynamo.send(new PutItemCommand({ TableName: world.names.table("users"), Item: record }));
  for (const user of [USER, "s1", "U2"])
    for (const Item of histories(user)) {
      await world.dynamo.send(new PutItemCommand({ TableName: world.names.table("built-in"), Item }));
    }
  await concurrently([...Array(OBJECTS).keys()], 8, (index) =>
    put(eventsKey(index), gzipSync(event("U2", index) + (index % 2 ? "" : event(USER, index)) + event("U3", index))),
  );
  await put(sessionKey, gzipSync(VISITS.map((line) => `${JSON.stringify(line)}\n`).join("")));
  await put(listKey, gzipSync(LISTS.map((line) => `${JSON.stringify(line)}\n`).join("")));
  await put("etl/run=old/users/1.csv", Buffer.from(`USER_ID\n${USER}\n`));
  const lines = [
    { user_id: USER, user_query: "secret" },
    { user_id: "U2", user_query: USER },
  ];
  const clicks = [
    { user_id: USER, action_name: "click" },
    { user_id: "U2", action_name: "click" },
  ];
  await put(batchKey, Buffer.from(BATCH.map((line) => `${JSON.stringify(line)}\n`).join("")));
  await put(errorKey, gzipSync(`${undelivered(event(USER, 1), event("U2", 1))}${undelivered(event("U3", 1))}`));
  await put(logErrorKey, gzipSync(undelivered(`${JSON.stringify(list(USER, null))}\n`)));
  for (const users of [[USER, "U2"], ["U2"]]) {
    const logEvents = users.map((user) => ({
      id: user,
      timestamp: 1,
      message: `${JSON.stringify(list(user, null))}\n`,
    }));
    const data = gzipSync(JSON.stringify({ messageType: "DATA_MESSAGE", logEvents })).toString("base64");
    const MessageBody = JSON.stringify({ requestPayload: { awslogs: { data } } });
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: failedLogs }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  }
  await put(clickKey, gzipSync(clicks.map((line) => `${JSON.stringify(line)}\n`).join("")));
  await put(searchKey, gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join("")));
});

test.after(async () => {
  local.remove();
  await world.stop();
});

/** Starts the command and kills it as soon as it prints a text. Returns what it printed. */
async function killedAt(text: string): Promise<string> {
  const run = local.start(...FORGET);
  const early = run.ended.then(({ err }): never => {
    throw new Error(`it ended before it was killed:\n${err}`);
  });
  early.catch(() => {});
  await waitFor(async () => run.errors().includes(text), {
    what: text,
    timeoutMs: 60_000,
    intervalMs: 5,
    abort: early,
  });
  run.kill("SIGKILL");
  return (await run.ended).err;
}

/** The counts lack at most what the first run rewrote of the 32 objects that it was killed at. */
function assertReplaced(events = "nothing"): void {
  const [, lines = 0, objects = 0, all] = /^(\d+) events replaced in (\d+) of (\d+) objects$/.exec(events) ?? [];
  const uncounted = 164 - Number(lines);
  assert.ok(uncounted >= 0 && uncounted <= 32 && 162 - Number(objects) === uncounted, events);
  assert.is(Number(all), OBJECTS + 2);
}

let printed = "";

test("has saved its progress when it is killed while rewriting events", async () => {
  printed += await killedAt("32 objects read");
  const [progress = ""] = await keys("forget/");
  const { Body } = await world.s3.send(new GetObjectCommand({ Bucket: world.bucket, Key: progress }));
  const { cursor, done } = JSON.parse((await Body?.transformToString()) ?? "");
  assert.equal(done, { record: "deleted" });
  assert.ok(cursor.counts.objects >= 32 && cursor.counts.objects < OBJECTS, `${cursor.counts.objects} objects`);
});

test("resumes where the first run stopped, and is killed while Personalize works", async () => {
  const err = await killedAt("waiting for the data deletion job");
  printed += err;
  assert.match(err, "record of the user: done before\n");
  assert.match(err, /events: resuming after \d+ objects\n/);
  assertReplaced(/events: (\d+ events replaced .*)\n/.exec(err)?.[1]);
  assert.match(err, "request logs and search events: 8 lines removed from 4 of 4 objects, and 1 line from queues\n");
  assert.match(err, "lists of relevance batch: 3 lines removed from 1 of 1 object\n");
  const [csv = ""] = await keys(DELETIONS);
  const { Body } = await world.s3.send(new GetObjectCommand({ Bucket: world.bucket, Key: csv }));
  assert.is(await Body?.transformToString(), `USER_ID\n"${USER}"\n"s1"\n`);
});

test("joins the same job in a third run, and reports what all runs did", async () => {
  const run = local.start(...FORGET, "--json");
  const waiting = () => run.errors().includes("waiting for the data deletion job");
  await waitFor(async () => waiting(), { what: "the wait for Personalize", timeoutMs: 60_000 });
  await world.control.advance(2 * 86_400_000);
  const { out, err, code } = await run.ended;
  printed += out + err;
  assert.is(code, 0, err);
  const { dataDeletionJobs = [] } = await world.personalize.send(new ListDataDeletionJobsCommand({}));
  assert.equal(
    dataDeletionJobs.map(({ status }) => status),
    ["COMPLETED"],
  );
  const { events, ...steps } = JSON.parse(out);
  assertReplaced(events);
  assert.equal(steps, {
    record: "deleted",
    etl: "1 object version deleted",
    batch: "3 lines removed from 1 of 1 object",
    "request-log": "8 lines removed from 4 of 4 objects, and 1 line from queues",
    personalize: `data deletion job ${dataDeletionJobs[0]?.jobName} completed`,
  });
});

test("replaces the person's events with empty ones, removes the person's log lines and changes no other line", async () => {
  for (let index = 0; index < OBJECTS; index += 1) {
    const own = index % 2 ? "" : "{}\n";
    assert.is(await read(eventsKey(index)), event("U2", index) + own + event("U3", index));
  }
  const text = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  assert.is(await read(sessionKey), `{}\n{}\n${text(VISITS.slice(2, 3))}{}\n`);
  assert.is(await read(listKey), text(LISTS.slice(5)));
  assert.is(await read(searchKey), `${JSON.stringify({ user_id: "U2", user_query: USER })}\n`);
  assert.is(await read(clickKey), `${JSON.stringify({ user_id: "U2", action_name: "click" })}\n`);
});

test("removes the person from lists, undelivered records and failed log lines", async () => {
  const { Body } = await world.s3.send(new GetObjectCommand({ Bucket: world.bucket, Key: batchKey }));
  const kept = [BATCH[1], BATCH[4]].map((line) => `${JSON.stringify(line)}\n`).join("");
  assert.is(await Body?.transformToString(), kept);
  assert.is(await read(errorKey), undelivered("{}\n", event("U2", 1)) + undelivered(event("U3", 1)));
  assert.is(await read(logErrorKey), undelivered(""));
  assert.equal(await queuedUsers(), ["U2", "U2"]);
});

test("leaves no progress, list of users, last items or ETL results, and prints the person's id nowhere", async () => {
  const kept = (user: string) =>
    Promise.all(
      histories(user).map(async ({ KEY }) => {
        const query = new GetItemCommand({ TableName: world.names.table("built-in"), Key: { KEY } });
        return (await world.dynamo.send(query)).Item;
      }),
    );
  assert.equal((await kept(USER)).concat(await kept("s1")), new Array(6).fill(undefined));
  assert.equal(await kept("U2"), histories("U2"));
  assert.equal([await keys("forget/"), await keys("etl/")], [[], []]);
  assert.not.match(printed, USER);
});

test("accepts a person who does not exist, and needs the policies that are printed for it", async () => {
  const user = await permittedUser(world.cloud, local.folder, ["plan", "forget"]);
  const run = user.start("forget", "--user", "nobody", "--yes");
  const early = run.ended.then(({ err }): never => {
    throw new Error(`it ended early:\n${err}`);
  });
  early.catch(() => {});
  const waiting = () => run.errors().includes("waiting for the data deletion job");
  await waitFor(async () => waiting(), { what: "the wait for Personalize", timeoutMs: 60_000, abort: early });
  await world.control.advance(2 * 86_400_000);
  const { out, err, code } = await run.ended;
  assert.is(code, 0, err);
  assert.match(out, "record of the user: there was none\n");
  assert.match(out, `events: 0 events replaced in 0 of ${OBJECTS + 2} objects\n`);
  // Here runs no training, and is neither a large object nor a key.
  assert.equal(await user.report(), {
    refused: [],
    unneeded: [
      ...["ReadTraining states:DescribeExecution", "RewriteObjects s3:AbortMultipartUpload"],
      ...["RewriteQueues sqs:DeleteMessage", "RewriteQueues sqs:SendMessage"],
      "WriteEncrypted kms:GenerateDataKey",
    ],
  });
});

test.run();
