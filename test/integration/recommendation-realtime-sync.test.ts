import { join } from "node:path";
import { CreateEventSourceMappingCommand, DeleteEventSourceMappingCommand, LambdaClient } from "@aws-sdk/client-lambda";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from "@aws-sdk/client-sqs";
import * as assert from "uvu/assert";
import { buildFunctions } from "../../build/functions.ts";
import type { RealtimeSyncEnv } from "../../functions/realtime-sync/env.ts";
import type { RealtimeSyncSettings } from "../../lib/recommendation/service/settings.ts";
import { createFunction } from "../../packages/local/dev/resources.ts";
import { openShop } from "../../packages/local-personalize/test/book-shop.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { awsError } from "../functions/recommendation-api/aws-front.ts";
import { startWorld } from "../functions/recommendation-api/world.ts";
import { suite } from "../suite.ts";

const test = suite("real-time synchronization, from the API to Personalize");

const world = await startWorld();
const { names, front, sqs, queueUrl, post } = world;
const TRIES = 4;
const lambda = new LambdaClient(world.direct);
let deadLetters = "";
let mapping: string | undefined;

/** Calls of PutItems and PutUsers that reached Personalize, with their times and records. */
const puts: { at: number; kind: string; records: { id: string; properties: Record<string, unknown> }[] }[] = [];

/** Lets calls through and records them, unless `refuse` answers. */
function watch(refuse: () => ReturnType<typeof awsError> | undefined = () => undefined) {
  front.faults.set("personalize", ({ path, body }) => {
    const refused = refuse();
    if (refused) return refused;
    const { items, users } = JSON.parse(body.toString());
    const records = (items ?? users).map((record: Record<string, string>) => ({
      id: record.itemId ?? record.userId,
      properties: JSON.parse(record.properties ?? "{}"),
    }));
    puts.push({ at: performance.now(), kind: path, records });
    return undefined;
  });
}

const last = (id: string) =>
  puts
    .flatMap(({ records }) => records)
    .filter((record) => record.id === id)
    .at(-1)?.properties;

const messagesLeft = async (QueueUrl: string) => {
  const AttributeNames = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const;
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }),
  );
  return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
};

const drained = () =>
  waitFor(async () => (await messagesLeft(queueUrl)) === 0, {
    what: "the queue of changes to be empty",
    timeoutMs: 60_000,
    intervalMs: 100,
  });

test.before(async () => {
  await openShop(world.harness, world.project);
  await world.putParameter(names.campaignParameter("similar_items"), names.arn("personalize", "campaign/x"));
  const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: names.queue("realtime-dead-letters") }));
  deadLetters = QueueUrl;
  const deadLetterTargetArn = names.arn("sqs", names.queue("realtime-dead-letters"));
  await sqs.send(
    new SetQueueAttributesCommand({
      QueueUrl: queueUrl,
      Attributes: {
        VisibilityTimeout: "2",
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: String(TRIES) }),
      },
    }),
  );

  const settings: RealtimeSyncSettings = { project: world.project, definitions: world.settings.definitions };
  const { "realtime-sync": built } = await buildFunctions({
    outdir: join(scratchFolder(TEST_OUTPUT, "realtime-sync"), "functions"),
    functions: ["realtime-sync"],
    files: { "realtime-sync": { "config.json": JSON.stringify(settings) } },
  });
  const env: RealtimeSyncEnv = {
    USERS_TABLE: names.table("users"),
    ITEMS_TABLE: names.table("items"),
    USERS_DATASET_ARN: names.datasetArn("user"),
    ITEMS_DATASET_ARN: names.datasetArn("item"),
  };
  await createFunction(lambda, world, "realtime-sync", {
    zip: built?.zip ?? "",
    environment: { ...env, AWS_ENDPOINT_URL: front.url },
    memoryMb: 256,
    timeoutSeconds: 30,
  });
  const { UUID } = await lambda.send(
    new CreateEventSourceMappingCommand({
      FunctionName: names.function("realtime-sync"),
      EventSourceArn: names.arn("sqs", names.queue("realtime")),
      BatchSize: 10,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
    }),
  );
  mapping = UUID;
});
test.before.each(() => {
  puts.length = 0;
  watch();
});
test.after(async () => {
  await lambda.send(new DeleteEventSourceMappingCommand({ UUID: mapping }));
  await world.stop();
});

test("uploaded items and users reach Personalize, ten a call, within its limit of calls a second for both together", async () => {
  const items = Array.from({ length: 100 }, (_, index) => ({ ITEM_ID: `i${index}`, TITLE: "x", PRICE: index }));
  const users = Array.from({ length: 30 }, (_, index) => ({ USER_ID: `u${index}`, AGE: index }));
  const answers = await Promise.all([post("/update-items", { items }), post("/update-users", { users })]);
  for (const { status, body } of answers) assert.equal([status, body.degraded], [200, undefined]);
  await drained();
  assert.equal(last("i42"), { isActive: "True", price: 42, blurb: "x" });
  assert.equal(last("u7"), { age: 7 });
  const ids = new Set(puts.flatMap(({ records }) => records.map(({ id }) => id)));
  assert.is(ids.size, 130);
  assert.ok(puts.every(({ records }) => records.length <= 10));
  for (const { at } of puts) {
    const within = puts.filter((other) => other.at >= at && other.at < at + 1_000).length;
    // Each of two instances takes half of the ten calls. One more, because calls arrive less evenly than they are sent.
    assert.ok(within <= 6, `${within} calls in a second`);
  }
  assert.is(await messagesLeft(deadLetters), 0);
});

test("sends a deleted item as retired", async () => {
  await post("/delete-items", { item_ids: ["i2"] });
  await drained();
  assert.equal([last("i2"), await messagesLeft(deadLetters)], [{ isActive: "False" }, 0]);
});

test("an unreadable message and a record that is always refused end up in the dead-letter queue", async () => {
  watch(() => awsError(400, "InvalidInputException"));
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: "nonsense" }));
  const { status, body } = await post("/update-users", { users: [{ USER_ID: "poison" }] });
  assert.equal([status, body.degraded], [200, undefined]);
  const bodies = new Set<string>();
  let left = "";
  await waitFor(
    async () => {
      left = `${await messagesLeft(queueUrl)} in the queue, ${await messagesLeft(deadLetters)} in the dead-letter queue`;
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl: deadLetters, MaxNumberOfMessages: 10 }),
      );
      for (const { Body = "" } of Messages) bodies.add(Body);
      return bodies.size === 2;
    },
    {
      what: "both messages in the dead-letter queue",
      timeoutMs: 240_000,
      intervalMs: 200,
      context: () =>
        `received: ${[...bodies].join(", ")}; ${left}, ${front.calls.get("personalize /users")} calls of PutUsers`,
    },
  );
  assert.equal([...bodies].sort(), ["nonsense", JSON.stringify({ dataset: "user", ids: ["poison"] })]);
});

test.run();
