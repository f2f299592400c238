import { gunzipSync } from "node:zlib";
import { CloudWatchLogsClient, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { CreateEventSourceMappingCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import * as assert from "uvu/assert";
import { delayFirehose } from "../../packages/local-aws/cloud/permissions.ts";
import { deliveries } from "../../packages/local-aws/test/cloud/delivery.ts";
import { createFunction, unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: Firehose, queues");
const cloud = await sharedCloud();
const lambda = new LambdaClient(clientOptions(cloud));
const logs = new CloudWatchLogsClient(clientOptions(cloud));
const sqs = new SQSClient(clientOptions(cloud));
const { s3, createBucket, createStream, put, objects, read } = deliveries(cloud);

test("Firehose writes gzip and evaluates the prefix", async () => {
  const bucket = await createBucket();
  const Prefix = "events/day=!{timestamp:yyyy-MM-dd}/at=!{timestamp:HH'h'}/";
  await put(await createStream(bucket, { CompressionFormat: "GZIP", Prefix }), "one\n", "two\n");
  const [key = ""] = await objects(bucket);
  assert.match(key, /^events\/day=\d{4}-\d\d-\d\d\/at=\d\dh\/stream-[^/]+\.gz$/);
  assert.is(gunzipSync(await read(bucket, key)).toString(), "one\ntwo\n");
});

test("Firehose without compression writes unchanged bytes, below prefix and hour", async () => {
  const bucket = await createBucket();
  await put(await createStream(bucket, { Prefix: "raw-" }), "one");
  const [key = ""] = await objects(bucket);
  assert.match(key, /^raw-\d{4}\/\d\d\/\d\d\/\d\d\/stream-[^/.]+$/);
  assert.is((await read(bucket, key)).toString(), "one");
});

test("Firehose can delay records, and then writes them together", async () => {
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

test("a queue's URL points to the front", async () => {
  assert.match((await createQueue()).url, `${cloud.endpoint}/`);
});

test("a queue invokes its function with batches, redelivers failed messages and moves them to the dead-letter queue", async () => {
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
    { what: "the message in the dead-letter queue", timeoutMs: 60_000, intervalMs: 50 },
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
