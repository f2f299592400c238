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
  AddPermissionCommand,
  CreateAliasCommand,
  CreateEventSourceMappingCommand,
  GetFunctionEventInvokeConfigCommand,
  InvokeCommand,
  LambdaClient,
  PublishVersionCommand,
  PutFunctionEventInvokeConfigCommand,
} from "@aws-sdk/client-lambda";
import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import * as assert from "uvu/assert";
import { ignoreNotFound } from "../../lib/platform/aws/errors.ts";
import { deliveries } from "../../packages/local-aws/test/cloud/delivery.ts";
import { createFunction, createRole, invoke, unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: logs");
const cloud = await sharedCloud();
const lambda = new LambdaClient(clientOptions(cloud));
const logs = new CloudWatchLogsClient(clientOptions(cloud));
const { createBucket, createStream, objects, read: readObject } = deliveries(cloud);

const lambdaArn = (name: string) => `arn:aws:lambda:${cloud.region}:${cloud.accountId}:function:${name}`;

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

/** Forwards the events of a subscription to Firehose, one line an event. */
const FORWARDER = `
  import { gunzipSync } from "node:zlib";
  export const handler = async ({ awslogs }) => {
    const { logEvents, messageType } = JSON.parse(gunzipSync(Buffer.from(awslogs.data, "base64")));
    const records = logEvents.map(({ message }) => ({ Data: Buffer.from(message + "\\n").toString("base64") }));
    const { AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, AWS_REGION, STREAM } = process.env;
    const scope = AWS_ACCESS_KEY_ID + "/20000101/" + AWS_REGION + "/firehose/aws4_request";
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

/** Fails as log-handler does while Firehose throttles, and forwards what the queue brings back. */
const THROTTLED = FORWARDER.replace(
  "async ({ awslogs }) => {",
  `async ({ awslogs: sent, Records }) => {
    if (sent) throw new Error("Firehose refused 1 of 1 records");
    const { awslogs } = JSON.parse(Records[0].body).requestPayload;`,
);

test("a log line whose function fails three times waits in a queue and comes back", async () => {
  const bucket = await createBucket();
  const STREAM = await createStream(bucket, { CompressionFormat: "GZIP", Prefix: "logs/search/" });
  const QueueName = unique("failed");
  await new SQSClient(clientOptions(cloud)).send(new CreateQueueCommand({ QueueName }));
  const queue = `arn:aws:sqs:${cloud.region}:${cloud.accountId}:${QueueName}`;
  const FunctionName = await createFunction(cloud, lambda, THROTTLED, { Environment: { Variables: { STREAM } } });
  await lambda.send(new PublishVersionCommand({ FunctionName }));
  await lambda.send(new CreateAliasCommand({ FunctionName, Name: "live", FunctionVersion: "1" }));
  const live = { FunctionName, Qualifier: "live" };
  const DestinationConfig = { OnFailure: { Destination: queue } };
  await lambda.send(new PutFunctionEventInvokeConfigCommand({ ...live, MaximumRetryAttempts: 2, DestinationConfig }));
  const read = await lambda.send(new GetFunctionEventInvokeConfigCommand(live));
  assert.equal([read.MaximumRetryAttempts, read.DestinationConfig], [2, DestinationConfig]);
  const mapping = { EventSourceArn: queue, FunctionName: `${FunctionName}:live`, BatchSize: 1 };
  await lambda.send(new CreateEventSourceMappingCommand(mapping));
  const allowed = { StatementId: "logs", Action: "lambda:InvokeFunction", Principal: "logs.amazonaws.com" };
  await lambda.send(new AddPermissionCommand({ ...live, ...allowed }));
  const logGroupName = await createGroup();
  const destinationArn = `${lambdaArn(FunctionName)}:live`;
  const subscription = { logGroupName, filterName: "f", filterPattern: '{ $.kind = "search" }', destinationArn };
  await logs.send(new PutSubscriptionFilterCommand(subscription));
  await log(logGroupName, MESSAGES.search, MESSAGES.plain);
  const [key = ""] = await objects(bucket);
  assert.match(key, new RegExp(`^logs/search/\\d{4}/\\d\\d/\\d\\d/\\d\\d/${STREAM}-1-[0-9-]{19}-[0-9a-f-]{36}\\.gz$`));
  assert.is(gunzipSync(await readObject(bucket, key)).toString(), `${MESSAGES.search}\n`);
  const attempts = new FilterLogEventsCommand({ logGroupName: `/aws/lambda/${FunctionName}`, filterPattern: "START" });
  // The function's lines are stored after it has ended, a moment after what it has forwarded.
  const logged = async () => (await logs.send(attempts)).events?.length === 4;
  await waitFor(logged, { what: "the lines of four attempts", timeoutMs: 10_000 });
});

// Source: Lambda Developer Guide, "Asynchronous invocation".
test("a failed asynchronous event runs again twice, or as often as the configuration of the alias says", async () => {
  const source = `export const handler = async ({ last }) => { if (!last) throw new Error("failed"); };`;
  const FunctionName = await createFunction(cloud, lambda, source);
  await lambda.send(new PublishVersionCommand({ FunctionName }));
  await lambda.send(new CreateAliasCommand({ FunctionName, Name: "live", FunctionVersion: "1" }));
  const live = { FunctionName, Qualifier: "live" };
  const starts = new FilterLogEventsCommand({ logGroupName: `/aws/lambda/${FunctionName}`, filterPattern: "START" });
  const attempts = async () => (await ignoreNotFound(logs.send(starts)))?.events?.length ?? 0;
  const failing = new InvokeCommand({ ...live, InvocationType: "Event", Payload: "{}" });
  await lambda.send(failing);
  await waitFor(async () => (await attempts()) === 3, { what: "three attempts", timeoutMs: 20_000 });
  await lambda.send(new PutFunctionEventInvokeConfigCommand({ ...live, MaximumRetryAttempts: 0 }));
  await lambda.send(failing);
  await waitFor(async () => (await attempts()) === 4, { what: "one attempt", timeoutMs: 20_000 });
  await lambda.send(new InvokeCommand({ ...live, Payload: JSON.stringify({ last: true }) }));
  await waitFor(async () => (await attempts()) === 5, { what: "the call after it", timeoutMs: 20_000 });
});

test("a topic is refused as destination of failed events, which the local cloud cannot send there", async () => {
  const FunctionName = await createFunction(cloud, lambda, "export const handler = async () => 1;");
  const DestinationConfig = { OnFailure: { Destination: `arn:aws:sns:${cloud.region}:${cloud.accountId}:topic` } };
  let message = "";
  await lambda.send(new PutFunctionEventInvokeConfigCommand({ FunctionName, DestinationConfig })).catch((error) => {
    message = error.message;
  });
  assert.match(message, "queues");
});

test("logs START, END and REPORT lines, to the group configured for a function", async () => {
  const LogGroup = unique("group");
  const source = `export const handler = async () => console.log("here");`;
  const name = await createFunction(cloud, lambda, source, { LoggingConfig: { LogGroup } });
  await invoke(lambda, name);
  const { events = [] } = await logs.send(new FilterLogEventsCommand({ logGroupName: LogGroup }));
  const [start, line, ...ends] = events.map(({ message = "" }) => message);
  assert.match(line ?? "", "here");
  assert.equal(
    [start, ...ends].map((message) => message?.split(" ")[0]),
    ["START", "END", "REPORT"],
  );
});

const PATTERNS: [pattern: string, matching: string[]][] = [
  ['{ $.kind = "search" }', ["search"]],
  ['{ $.kind != "search" }', ["rank"]],
  ['{ $.kind = "search" || $.kind = "rank" && $.on.device != "tv" }', ["search"]],
  ['{ $.on.device = "tv" }', ["rank"]],
  ['"plain text"', ["plain"]],
  ["plain -text", []],
  ["?plain ?rank", ["plain", "rank"]],
  ["", ["search", "rank", "plain"]],
];
const MESSAGES = {
  search: '{"kind":"search","ms":120}',
  rank: '{"kind":"rank","ms":250,"on":{"device":"tv"}}',
  plain: "some plain text",
};

test("finds the lines that each filter pattern matches", async () => {
  const logGroupName = await createGroup();
  await log(logGroupName, ...Object.values(MESSAGES));
  for (const [filterPattern, matching] of PATTERNS) {
    const { events = [] } = await logs.send(new FilterLogEventsCommand({ logGroupName, filterPattern }));
    const expected = Object.entries(MESSAGES).flatMap(([name, text]) => (matching.includes(name) ? [text] : []));
    assert.equal(
      events.map(({ message }) => message),
      expected,
      filterPattern,
    );
  }
});

test("rejects a subscription with an unsupported pattern", async () => {
  const destinationArn = lambdaArn(await createFunction(cloud, lambda, "export const handler = async () => 1;"));
  const subscription = { logGroupName: await createGroup(), filterName: "f", filterPattern: "[a, b]", destinationArn };
  let message = "";
  await logs.send(new PutSubscriptionFilterCommand(subscription)).catch((error) => {
    message = error.message;
  });
  assert.match(message, "patterns of terms");
});

test("changes one of two subscriptions", async () => {
  const destinationArn = lambdaArn(await createFunction(cloud, lambda, "export const handler = async () => 1;"));
  const logGroupName = await createGroup();
  const subscribe = (filterName: string, filterPattern: string) =>
    logs.send(new PutSubscriptionFilterCommand({ logGroupName, filterName, filterPattern, destinationArn }));
  await subscribe("one", "a");
  await subscribe("two", "b");
  await subscribe("two", "c");
});

test("delivers only the matching events of a subscription straight to Firehose", async () => {
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
  const { logEvents } = JSON.parse(gunzipSync(await readObject(bucket, key)).toString());
  assert.equal(
    logEvents.map(({ message }: { message: string }) => message),
    [MESSAGES.rank],
  );
  assert.match(logEvents[0].id, /^\d{56}$/);
});

test.run();
