import { gunzipSync } from "node:zlib";
import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  CreateLogStreamCommand,
  FilterLogEventsCommand,
  PutLogEventsCommand,
  PutSubscriptionFilterCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import {
  CreateDeliveryStreamCommand,
  type ExtendedS3DestinationConfiguration,
  FirehoseClient,
  PutRecordBatchCommand,
} from "@aws-sdk/client-firehose";
import {
  CreateAliasCommand,
  CreateEventSourceMappingCommand,
  LambdaClient,
  PublishVersionCommand,
} from "@aws-sdk/client-lambda";
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import * as assert from "uvu/assert";
import { delayFirehose } from "../../local/cloud/firehose-delay.ts";
import { waitFor } from "../../local/process/wait.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { createFunction, createRole, invoke, unique } from "../local/cloud/functions.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: logs, Firehose, queues");
const cloud = await sharedCloud();
const lambda = new LambdaClient(clientOptions(cloud));
const logs = new CloudWatchLogsClient(clientOptions(cloud));
const firehose = new FirehoseClient(clientOptions(cloud));
const sqs = new SQSClient(clientOptions(cloud));
const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });

const lambdaArn = (name: string) => `arn:aws:lambda:${cloud.region}:${cloud.accountId}:function:${name}`;

async function createBucket(): Promise<string> {
  const Bucket = unique("bucket");
  await s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration: { LocationConstraint: "eu-west-1" } }));
  return Bucket;
}

async function createStream(bucket: string, more: Partial<ExtendedS3DestinationConfiguration> = {}): Promise<string> {
  const DeliveryStreamName = unique("stream");
  const RoleARN = await createRole(cloud);
  const ExtendedS3DestinationConfiguration = { RoleARN, BucketARN: `arn:aws:s3:::${bucket}`, ...more };
  await firehose.send(new CreateDeliveryStreamCommand({ DeliveryStreamName, ExtendedS3DestinationConfiguration }));
  return DeliveryStreamName;
}

const put = (stream: string, ...texts: string[]) =>
  firehose.send(
    new PutRecordBatchCommand({
      DeliveryStreamName: stream,
      Records: texts.map((text) => ({ Data: Buffer.from(text) })),
    }),
  );

/** The objects of a bucket, as soon as there are any. */
const objects = (bucket: string) =>
  waitFor(
    async () => {
      const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
      return Contents?.map(({ Key = "" }) => Key);
    },
    { what: `an object in ${bucket}`, timeoutMs: 15_000, intervalMs: 20 },
  );

async function read(bucket: string, key: string): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

async function createGroup(): Promise<string> {
  const logGroupName = unique("group");
  await logs.send(new CreateLogGroupCommand({ logGroupName }));
  await logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName: "stream" }));
  return logGroupName;
}

const log = (logGroupName: string, ...messages: string[]) => {
  const logEvents = messages.map((message) => ({ message, timestamp: Date.now() }));
  return logs.send(new PutLogEventsCommand({ logGroupName, logStreamName: "stream", logEvents }));
};

/** Passes what a subscription brings on to Firehose, one line an event. */
const FORWARDER = `
  import { gunzipSync } from "node:zlib";
  export const handler = async ({ awslogs }) => {
    const { logEvents, messageType } = JSON.parse(gunzipSync(Buffer.from(awslogs.data, "base64")));
    const records = logEvents.map(({ message }) => ({ Data: Buffer.from(message + "\\n").toString("base64") }));
    const { AWS_ENDPOINT_URL, AWS_REGION, STREAM } = process.env;
    const scope = "test/20000101/" + AWS_REGION + "/firehose/aws4_request";
    const response = await fetch(AWS_ENDPOINT_URL, {
      method: "POST",
      headers: {
        authorization: "AWS4-HMAC-SHA256 Credential=" + scope + ", SignedHeaders=host, Signature=0",
        "content-type": "application/x-amz-json-1.1",
        "x-amz-target": "Firehose_20150804.PutRecordBatch",
      },
      body: JSON.stringify({ DeliveryStreamName: STREAM, Records: records }),
    });
    if (!response.ok) throw new Error(await response.text());
  };`;

test("a function's log line goes through a subscription, a function and Firehose to S3", async () => {
  const bucket = await createBucket();
  const STREAM = await createStream(bucket, { CompressionFormat: "GZIP", Prefix: "logs/search/" });
  const reader = await createFunction(cloud, lambda, FORWARDER, { Environment: { Variables: { STREAM } } });
  await lambda.send(new PublishVersionCommand({ FunctionName: reader }));
  await lambda.send(new CreateAliasCommand({ FunctionName: reader, Name: "live", FunctionVersion: "1" }));
  const writer = await createFunction(
    cloud,
    lambda,
    `export const handler = async (e) => { console.log("noise"); process.stdout.write(JSON.stringify(e) + "\\n"); };`,
  );
  await invoke(lambda, writer, { kind: "warm-up" });
  await logs.send(
    new PutSubscriptionFilterCommand({
      logGroupName: `/aws/lambda/${writer}`,
      filterName: "requests",
      filterPattern: '{ $.kind = "search" }',
      destinationArn: `${lambdaArn(reader)}:live`,
    }),
  );
  await invoke(lambda, writer, { kind: "search", query: "tea" });
  const [key = ""] = await objects(bucket);
  assert.match(key, new RegExp(`^logs/search/\\d{4}/\\d\\d/\\d\\d/\\d\\d/${STREAM}-1-[0-9-]{19}-[0-9a-f-]{36}\\.gz$`));
  assert.is(gunzipSync(await read(bucket, key)).toString(), '{"kind":"search","query":"tea"}\n');
});

test("a function's own START, END and REPORT lines are in its log", async () => {
  const name = await createFunction(cloud, lambda, "export const handler = async () => 1;");
  await invoke(lambda, name);
  const { events } = await logs.send(new FilterLogEventsCommand({ logGroupName: `/aws/lambda/${name}` }));
  const kinds = events?.map(({ message }) => message?.split(" ")[0]);
  assert.equal(kinds, ["START", "END", "REPORT"]);
});

test("a function logs to the group that it was given", async () => {
  const LogGroup = unique("group");
  const source = `export const handler = async () => console.log("here");`;
  const name = await createFunction(cloud, lambda, source, { LoggingConfig: { LogGroup } });
  await invoke(lambda, name);
  const { events } = await logs.send(new FilterLogEventsCommand({ logGroupName: LogGroup, filterPattern: "here" }));
  assert.is(events?.length, 1);
});

const PATTERNS: [pattern: string, matching: string[]][] = [
  ['{ $.kind = "search" }', ["search"]],
  ["{ $.kind = sea* }", ["search"]],
  ['{ $.kind != "search" }', ["rank"]],
  ["{ $.ms >= 200 && ($.kind = rank || $.kind = other) }", ["rank"]],
  ["{ $.degraded IS TRUE }", ["search"]],
  ["{ $.degraded NOT EXISTS }", ["rank"]],
  ['{ $.hits[0].id = "a" }', ["search"]],
  ['"plain text"', ["plain"]],
  ["plain -text", []],
  ["?plain ?rank", ["plain", "rank"]],
  ["", ["search", "rank", "plain"]],
];
const MESSAGES = {
  search: '{"kind":"search","ms":120,"degraded":true,"hits":[{"id":"a"}]}',
  rank: '{"kind":"rank","ms":250}',
  plain: "some plain text",
};

for (const [pattern, matching] of PATTERNS) {
  test(`filter pattern ${pattern || "(empty)"}`, async () => {
    const logGroupName = await createGroup();
    await log(logGroupName, ...Object.values(MESSAGES));
    const { events } = await logs.send(new FilterLogEventsCommand({ logGroupName, filterPattern: pattern }));
    const wanted = Object.entries(MESSAGES).filter(([name]) => matching.includes(name));
    assert.equal(
      events?.map(({ message }) => message),
      wanted.map(([, message]) => message),
    );
  });
}

test("a subscription with a pattern that we cannot apply is refused", async () => {
  const destinationArn = lambdaArn(await createFunction(cloud, lambda, "export const handler = async () => 1;"));
  const subscription = { logGroupName: await createGroup(), filterName: "f", filterPattern: "[a, b]", destinationArn };
  let message = "";
  await logs.send(new PutSubscriptionFilterCommand(subscription)).catch((error) => {
    message = error.message;
  });
  assert.match(message, "patterns of terms");
});

test("one of two subscriptions can be changed", async () => {
  const destinationArn = lambdaArn(await createFunction(cloud, lambda, "export const handler = async () => 1;"));
  const logGroupName = await createGroup();
  const subscribe = (filterName: string, filterPattern: string) =>
    logs.send(new PutSubscriptionFilterCommand({ logGroupName, filterName, filterPattern, destinationArn }));
  await subscribe("one", "a");
  await subscribe("two", "b");
  await subscribe("two", "c");
});

test("a subscription straight to Firehose brings the matching events alone", async () => {
  const bucket = await createBucket();
  const stream = await createStream(bucket);
  const logGroupName = await createGroup();
  await logs.send(
    new PutSubscriptionFilterCommand({
      logGroupName,
      filterName: "f",
      filterPattern: '{ $.kind = "rank" }',
      destinationArn: `arn:aws:firehose:${cloud.region}:${cloud.accountId}:deliverystream/${stream}`,
      roleArn: await createRole(cloud),
    }),
  );
  await log(logGroupName, ...Object.values(MESSAGES));
  const [key = ""] = await objects(bucket);
  const { logEvents } = JSON.parse(gunzipSync(await read(bucket, key)).toString());
  assert.equal(
    logEvents.map(({ message }: { message: string }) => message),
    [MESSAGES.rank],
  );
  assert.match(logEvents[0].id, /^\d{56}$/);
});

test("Firehose writes gzip and evaluates the prefix", async () => {
  const bucket = await createBucket();
  const Prefix = "events/day=!{timestamp:yyyy-MM-dd}/at=!{timestamp:HH'h'}/";
  await put(await createStream(bucket, { CompressionFormat: "GZIP", Prefix }), "one\n", "two\n");
  const [key = ""] = await objects(bucket);
  assert.match(key, /^events\/day=\d{4}-\d\d-\d\d\/at=\d\dh\/stream-[^/]+\.gz$/);
  assert.is(gunzipSync(await read(bucket, key)).toString(), "one\ntwo\n");
});

test("Firehose without compression writes the bytes as they are, below prefix and hour", async () => {
  const bucket = await createBucket();
  await put(await createStream(bucket, { Prefix: "raw-" }), "one");
  const [key = ""] = await objects(bucket);
  assert.match(key, /^raw-\d{4}\/\d\d\/\d\d\/\d\d\/stream-[^/.]+$/);
  assert.is((await read(bucket, key)).toString(), "one");
});

test("Firehose can be told to hold records back, and then writes them together", async () => {
  const bucket = await createBucket();
  const stream = await createStream(bucket);
  await delayFirehose(cloud.endpoint, stream, 2);
  await put(stream, "one");
  await put(stream, "two");
  const { KeyCount } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  assert.is(KeyCount, 0);
  const keys = await objects(bucket);
  assert.is(keys.length, 1);
  assert.is((await read(bucket, keys[0] ?? "")).toString(), "onetwo");
});

async function createQueue(Attributes: Record<string, string> = {}) {
  const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: unique("queue"), Attributes }));
  const found = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
  return { url: QueueUrl, arn: found.Attributes?.QueueArn ?? "" };
}

const sendAll = (url: string, ...bodies: string[]) =>
  sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: url,
      Entries: bodies.map((MessageBody, i) => ({ Id: `${i}`, MessageBody })),
    }),
  );

test("a queue's address leads to the front", async () => {
  assert.match((await createQueue()).url, `${cloud.endpoint}/`);
});

test("a queue invokes the function with batches; failed messages come back and end in the dead-letter queue", async () => {
  const dead = await createQueue();
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 2 });
  const queue = await createQueue({ VisibilityTimeout: "1", RedrivePolicy });
  const source = `export const handler = async ({ Records }) => {
    console.log("batch", JSON.stringify(Records.map((r) => [r.body, r.attributes.ApproximateReceiveCount])));
    return { batchItemFailures: Records.filter((r) => r.body === "bad").map((r) => ({ itemIdentifier: r.messageId })) };
  };`;
  const name = await createFunction(cloud, lambda, source);
  await sendAll(queue.url, "good", "bad", "fine");
  await lambda.send(
    new CreateEventSourceMappingCommand({
      FunctionName: name,
      EventSourceArn: queue.arn,
      BatchSize: 10,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
    }),
  );
  const received = await waitFor(
    async () => (await sqs.send(new ReceiveMessageCommand({ QueueUrl: dead.url }))).Messages,
    { what: "the message in the dead-letter queue", timeoutMs: 15_000, intervalMs: 50 },
  );
  assert.equal(
    received.map(({ Body }) => Body),
    ["bad"],
  );
  const { events } = await logs.send(
    new FilterLogEventsCommand({ logGroupName: `/aws/lambda/${name}`, filterPattern: "batch" }),
  );
  const batches = events?.map(({ message = "" }) => JSON.parse(message.split("batch ")[1] ?? ""));
  assert.equal(batches, [
    [
      ["good", "1"],
      ["bad", "1"],
      ["fine", "1"],
    ],
    [["bad", "2"]],
  ]);
});

test.run();
