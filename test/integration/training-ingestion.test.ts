import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { CreateDeliveryStreamCommand, FirehoseClient, PutRecordBatchCommand } from "@aws-sdk/client-firehose";
import * as assert from "uvu/assert";
import { DELIVERY_STREAMS } from "../../lib/infrastructure/delivery-streams.ts";
import { packed } from "../../lib/platform/aws/record-stream.ts";
import { PREFIXES } from "../../lib/platform/naming/object-keys.ts";
import { deadlineIn } from "../../lib/platform/resilience/deadline.ts";
import { dynamoEventCounter } from "../../lib/recommendation/clients/accepted-events.ts";
import { eventLine, type StoredEvent } from "../../lib/recommendation/records/layout.ts";
import { delayFirehose } from "../../packages/local-aws/cloud/permissions.ts";
import { clientOptions } from "../fixtures/cloud.ts";
import { readManifest } from "../lib/recommendation/etl/run.ts";
import { onlyUsers } from "../lib/recommendation/training/settings.ts";
import { tasteEvents } from "../lib/recommendation/training/taste-events.ts";
import { type TrainingWorld, trainingWorld } from "../lib/recommendation/training/world.ts";
import { suite } from "../suite.ts";

const test = suite("training right after an upload, in an account with few functions");

/** The buffer of the delivery stream that the function is configured with. */
const BUFFER_SECONDS = 6;

let world: TrainingWorld;
let firehose: FirehoseClient;

test.before(async () => {
  // Fewer functions may run than a map calls: the state machine calls again those that Lambda throttles.
  const settings = onlyUsers();
  world = await trainingWorld({ project: "uploaded", settings, bufferSeconds: BUFFER_SECONDS, concurrency: 1 });
  await world.deployPersonalize();
  firehose = new FirehoseClient(clientOptions(world.cloud));
  await firehose.send(
    new CreateDeliveryStreamCommand({
      DeliveryStreamName: world.names.stream("events"),
      ExtendedS3DestinationConfiguration: {
        RoleARN: world.names.roleArn(world.names.role(DELIVERY_STREAMS.events.role)),
        BucketARN: world.names.bucketArn(),
        Prefix: PREFIXES.events,
      },
    }),
  );
});

test.after(() => world.stop());

/** Stores and counts events as /log-event does. */
async function accept(events: readonly StoredEvent[], delaySeconds: number) {
  const DeliveryStreamName = world.names.stream("events");
  await delayFirehose(world.cloud.endpoint, DeliveryStreamName, delaySeconds);
  const Records = packed(events.map(eventLine)).map(({ Data }) => ({ Data }));
  await firehose.send(new PutRecordBatchCommand({ DeliveryStreamName, Records }));
  const client = new DynamoDBClient(clientOptions(world.cloud));
  const count = dynamoEventCounter(async () => client, world.names.table("ingestion"), 10_000);
  await count(events.length, deadlineIn(10_000));
}

async function trained(name: string) {
  const { status, cause } = await world.ended(await world.start(name, { mode: "update_dataset_group" }));
  assert.is(status, "SUCCEEDED", cause);
  return (await readManifest(world.store, name))?.interaction.rows;
}

test("waits until the buffer time has passed, and misses nothing", async () => {
  await accept(tasteEvents(60, 20), BUFFER_SECONDS);
  assert.is(await trained("at-once"), 1_200);
});

test("waits for events that arrive after the buffer time, because their number is known", async () => {
  const later = tasteEvents(60, 5).map((event) => ({ ...event, EVENT_ID: `later-${event.EVENT_ID}`, USER_ID: "U1" }));
  await accept(later, BUFFER_SECONDS + 25);
  assert.is(await trained("late"), 1_500);
});

test.run();
