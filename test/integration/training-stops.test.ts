import {
  CreateCampaignCommand,
  CreateSolutionVersionCommand,
  DeleteCampaignCommand,
  ListDatasetImportJobsCommand,
} from "@aws-sdk/client-personalize";
import { StopExecutionCommand } from "@aws-sdk/client-sfn";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as assert from "uvu/assert";
import { readInventory } from "../../lib/personalize/resources/inventory.ts";
import { dayOf } from "../../lib/recommendation/clients/accepted-events.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { checkNeededHere } from "../fixtures/check-permissions.ts";
import { onlyUsers } from "../lib/recommendation/training/settings.ts";
import { tasteEvents } from "../lib/recommendation/training/taste-events.ts";
import { type TrainingWorld, trainingWorld } from "../lib/recommendation/training/world.ts";
import { suite } from "../suite.ts";

const test = suite("trainings and teardowns that stop or are interrupted");

let world: TrainingWorld;

test.before(async () => {
  world = await trainingWorld({ project: "stopped", settings: onlyUsers({ event_type: "read" }) });
});

test.after(() => world.stop());

const train = async (name: string, more: { accept_missing?: boolean } = {}) =>
  world.ended(await world.start(name, { mode: "update_dataset_group", ...more }));

async function imported(): Promise<number> {
  return (await world.personalize.send(new ListDatasetImportJobsCommand({}))).datasetImportJobs?.length ?? 0;
}

const locked = (run: string) =>
  waitFor(async () => (await world.state.lock())?.run === run, { what: "the lock", timeoutMs: 60_000 });

test("says to deploy if there is no dataset group", async () => {
  const { error, cause } = await train("undeployed");
  assert.is(error, "TrainingError");
  assert.is(cause, "The dataset group stopped does not exist: run `relevance deploy` first");
  await world.deployPersonalize();
});

test("imports nothing if the configured type has too few events, and none of other types counts", async () => {
  const others = tasteEvents(60, 10).map((one) => ({ ...one, EVENT_ID: `other-${one.EVENT_ID}` }));
  await world.setEvents([...tasteEvents(60, 17, { EVENT_TYPE: "read" }).slice(0, 999), ...others]);
  const { status, cause } = await train("few");
  assert.is(status, "FAILED");
  assert.match(cause, 'user_personalization: there are 999 interactions of type "read", but 1,000 are needed');
  assert.is(await imported(), 0);
});

test("takes over the lock of a dead training", async () => {
  await world.setEvents(tasteEvents(60, 20, { EVENT_TYPE: "read" }));
  world.holdClock();
  const first = await world.start("dead", { mode: "init" });
  await locked("dead");
  await world.sfn.send(new StopExecutionCommand({ executionArn: first }));
  await world.ended(first);
  world.releaseClock();
  const next = await train("next");
  assert.is(next.status, "SUCCEEDED", next.cause);
});

test("says how many accepted events never arrived, unless told to continue without them", async () => {
  const documents = DynamoDBDocumentClient.from(world.dynamo);
  const Item = { DAY_SHARD: `${dayOf(Date.now())}#0`, ACCEPTED: 1_203, LAST: Date.now() - 3_600_000 };
  await documents.send(new PutCommand({ TableName: world.names.table("ingestion"), Item }));
  assert.match((await train("missing")).cause, "1,203 events were accepted, but only 1,200 are in the bucket");
  const { status, cause } = await train("without", { accept_missing: true });
  assert.is(status, "SUCCEEDED", cause);
});

test("the state machine retries functions that are interrupted inside a step", async () => {
  // The answer is lost after the work was done, so the next attempt finds the result.
  await world.setEvents(tasteEvents(60, 22, { EVENT_TYPE: "read" }));
  world.control.failNext("DescribeDatasetImportJob", { times: 9, code: "InternalServerException" });
  const imports = await imported();
  const { status, cause } = await train("cut-off", { accept_missing: true });
  assert.is(status, "SUCCEEDED", cause);
  assert.is(await imported(), imports + 1);
});

test("an import that fails says why, and the next training imports again", async () => {
  await world.setEvents(tasteEvents(60, 23, { EVENT_TYPE: "read" }));
  world.control.failCreation("dataset-import-job", "The file cannot be read");
  const { cause } = await train("unreadable");
  assert.match(cause, /could not import all data. \w+s is CREATE FAILED: The file cannot be read/);
  const { status, cause: second } = await train("readable");
  assert.is(status, "SUCCEEDED", second);
});

test("a teardown stops the training and a version in training, names somebody else's campaign, and ends when started again", async () => {
  const { solutions } = await readInventory(world.personalize, world.names);
  const { arn: solutionArn = "", versions = [] } = solutions[0] ?? {};
  const served = { solutionVersionArn: versions[0]?.arn, minProvisionedTPS: 1 };
  const { campaignArn } = await world.personalize.send(new CreateCampaignCommand({ name: "their-own", ...served }));
  await world.setEvents(tasteEvents(60, 24, { EVENT_TYPE: "read" }));
  world.holdClock();
  const training = await world.start("interrupted", { mode: "update_dataset_group", accept_missing: true });
  await locked("interrupted");
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
  // The local interpreter reports an execution as failed if it was stopped inside a Map.
  assert.ok(["ABORTED", "FAILED"].includes((await world.ended(training)).status ?? ""));

  await world.personalize.send(new DeleteCampaignCommand({ campaignArn }));
  await world.control.advance(1_000);
  const again = await world.ended(await world.startTeardown("teardown-2"));
  assert.is(again.status, "SUCCEEDED", again.cause);
  const left = await readInventory(world.personalize, world.names);
  assert.equal([left.campaigns, left.solutions], [[], []]);
  assert.is(await world.state.lock(), undefined);
  assert.is(await world.state.recipe("user_personalization"), undefined);
});

test("the role of training needs permissions here that the end-to-end run does not", () =>
  checkNeededHere({ cloud: world.cloud, project: "stopped" }, "training-stops.test"));

test.run();
