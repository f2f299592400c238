import { CreateCampaignCommand, CreateSolutionVersionCommand } from "@aws-sdk/client-personalize";
import { StopExecutionCommand } from "@aws-sdk/client-sfn";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as assert from "uvu/assert";
import { readInventory } from "../../lib/personalize/resources/inventory.ts";
import { dayOf } from "../../lib/recommendation/clients/accepted-events.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { checkNeededHere } from "../fixtures/check-permissions.ts";
import { event } from "../lib/recommendation/etl/run.ts";
import { onlyUsers } from "../lib/recommendation/training/settings.ts";
import { tasteEvents } from "../lib/recommendation/training/taste-events.ts";
import { type TrainingWorld, trainingWorld } from "../lib/recommendation/training/world.ts";
import { suite } from "../suite.ts";

const test = suite("conditions that stop a training");

let world: TrainingWorld;

test.before(async () => {
  world = await trainingWorld({ project: "stopped", settings: onlyUsers({ event_type: "read" }) });
});

test.after(() => world.stop());

const train = async (name: string, more: { accept_missing?: boolean } = {}) =>
  world.ended(await world.start(name, { mode: "update_dataset_group", ...more }));

test("says to deploy if there is no dataset group", async () => {
  const { error, cause } = await train("undeployed");
  assert.is(error, "TrainingError");
  assert.is(cause, "The dataset group stopped does not exist: run `relevance deploy` first");
  await world.deployPersonalize();
});

test("stops with 999 interactions of the event type, even if there are more of other types", async () => {
  const others = tasteEvents(60, 10).map((one) => ({ ...one, EVENT_ID: `other-${one.EVENT_ID}` }));
  await world.setEvents([...tasteEvents(60, 17, { EVENT_TYPE: "read" }).slice(0, 999), ...others]);
  const { status, cause } = await train("few");
  assert.is(status, "FAILED");
  assert.match(cause, 'user_personalization: there are 999 interactions of type "read", but 1,000 are needed');
  assert.is(world.control.counts().CreateDatasetImportJob, undefined, "nothing was imported");
});

test("stops with 24 users with two interactions", async () => {
  await world.setEvents([
    ...tasteEvents(24, 50, { EVENT_TYPE: "read" }),
    event("lonely", { USER_ID: "U999", EVENT_TYPE: "read" }),
  ]);
  const { cause } = await train("lonely");
  assert.match(cause, '24 users have at least two interactions of type "read", but 25 are needed');
});

test("stops without events of the configured type, and lists the types that exist", async () => {
  await world.setEvents(tasteEvents(60, 20));
  const { cause } = await train("typeless");
  assert.match(cause, 'no event has the target_event_type "read"; there are "view" (1,200)');
});

test("refuses a second training while one runs, and takes over the lock of a dead one", async () => {
  await world.setEvents(tasteEvents(60, 20, { EVENT_TYPE: "read" }));
  world.holdClock();
  const first = await world.start("alive", { mode: "init" });
  await waitFor(async () => (await world.state.lock())?.run === "alive", { what: "the lock", timeoutMs: 60_000 });
  const { error, cause } = await train("second");
  assert.is(error, "TrainingError");
  assert.match(cause, /^The training alive has been running since 20.*relevance status/);
  assert.is((await world.state.lock())?.run, "alive");
  await world.sfn.send(new StopExecutionCommand({ executionArn: first }));
  await world.ended(first);
  world.releaseClock();
  const third = await train("third");
  assert.is(third.status, "SUCCEEDED", third.cause);
});

test("says how many accepted events never arrived, unless told to continue without them", async () => {
  const documents = DynamoDBDocumentClient.from(world.dynamo);
  const Item = { DAY_SHARD: `${dayOf(Date.now())}#0`, ACCEPTED: 1_203, LAST: Date.now() - 3_600_000 };
  await documents.send(new PutCommand({ TableName: world.names.table("ingestion"), Item }));
  const { status, cause } = await train("missing");
  assert.is(status, "FAILED");
  assert.match(cause, "1,203 events were accepted, but only 1,200 are in the bucket: 3 are missing");
  assert.match(cause, "--accept-missing");
  const { status: second, cause: reason } = await train("without", { accept_missing: true });
  assert.is(second, "SUCCEEDED", reason);
});

test("a teardown stops the version in training, and fails with the name of somebody else's campaign", async () => {
  const { solutions } = await readInventory(world.personalize, world.names);
  const { arn: solutionArn = "", versions = [] } = solutions[0] ?? {};
  const served = { solutionVersionArn: versions[0]?.arn, minProvisionedTPS: 1 };
  await world.personalize.send(new CreateCampaignCommand({ name: "their-own", ...served }));
  world.holdClock();
  await world.personalize.send(new CreateSolutionVersionCommand({ solutionArn }));
  const teardown = await world.startTeardown("teardown");
  await waitFor(async () => (world.control.counts().StopSolutionVersionCreation ?? 0) > 0, {
    what: "the version to be stopped",
    timeoutMs: 60_000,
  });
  world.releaseClock();
  const { status, cause } = await world.ended(teardown);
  assert.is(status, "FAILED");
  assert.match(cause, "is used by what this service did not create: campaign their-own. Remove it by hand");
});

test("the role of training needs permissions here that the end-to-end run does not", () =>
  checkNeededHere({ cloud: world.cloud, project: "stopped" }, "training-stops.test"));

test.run();
