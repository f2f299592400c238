import { ListDatasetImportJobsCommand } from "@aws-sdk/client-personalize";
import { StopExecutionCommand } from "@aws-sdk/client-sfn";
import * as assert from "uvu/assert";
import { readInventory } from "../../lib/personalize/resources/inventory.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { onlyUsers } from "../lib/recommendation/training/settings.ts";
import { tasteEvents } from "../lib/recommendation/training/taste-events.ts";
import { type TrainingWorld, trainingWorld } from "../lib/recommendation/training/world.ts";
import { suite } from "../suite.ts";

const test = suite("training and teardown while Personalize fails");

let world: TrainingWorld;

test.before(async () => {
  // Removals take long enough to be interrupted.
  world = await trainingWorld({ project: "failing", settings: onlyUsers(), delays: { working: 1_000 } });
  await world.deployPersonalize();
  await world.setProfiles(40, 100);
  await world.setEvents(tasteEvents(60, 20));
});

test.after(() => world.stop());

async function imported(): Promise<number> {
  const { datasetImportJobs = [] } = await world.personalize.send(new ListDatasetImportJobsCommand({}));
  return datasetImportJobs.length;
}

test("the state machine retries functions that are interrupted inside a step", async () => {
  // The answer is lost after the work was done, so the next attempt finds the result.
  world.control.failNext("DescribeDatasetImportJob", { times: 9, code: "InternalServerException" });
  const imports = await imported();
  const { status, cause } = await world.ended(await world.start("cut-off", { mode: "update_dataset_group" }));
  assert.is(status, "SUCCEEDED", cause);
  assert.is(await imported(), imports + 3);
});

test("a training that fails in Personalize says why, and the next one tries again", async () => {
  world.control.failCreation("solution-version", "Internal error of the service");
  const { error, cause } = await world.ended(await world.start("unlucky", { mode: "update_dataset_group" }));
  assert.is(error, "TrainingError");
  assert.match(cause, "1 of 1 recipes could not be trained. user_personalization: ");
  assert.match(cause, "is CREATE FAILED: Internal error of the service");
  const { status, cause: second } = await world.ended(await world.start("luckier", { mode: "update_dataset_group" }));
  assert.is(status, "SUCCEEDED", second);
});

test("an import that fails says why, and the next training imports again", async () => {
  await world.setEvents(tasteEvents(60, 22));
  world.control.failCreation("dataset-import-job", "The file cannot be read");
  const { cause } = await world.ended(await world.start("unreadable", { mode: "update_dataset_group" }));
  assert.match(cause, /could not import all data. \w+s is CREATE FAILED: The file cannot be read/);
  const { status, cause: second } = await world.ended(await world.start("readable", { mode: "update_dataset_group" }));
  assert.is(status, "SUCCEEDED", second);
});

test("a teardown that is killed and started again stops the training and removes campaigns and solutions", async () => {
  const training = await world.start("interrupted", { mode: "update_dataset_group" });
  await waitFor(async () => (await world.state.lock())?.run === "interrupted", { what: "the lock", timeoutMs: 60_000 });
  const killed = await world.startTeardown("teardown-1");
  await waitFor(async () => (world.control.counts().DeleteCampaign ?? 0) > 0, {
    what: "the first removal",
    timeoutMs: 90_000,
    intervalMs: 20,
  });
  await world.sfn.send(new StopExecutionCommand({ executionArn: killed }));
  // The local interpreter reports an execution as failed if it was stopped inside a Map.
  assert.ok(["ABORTED", "FAILED"].includes((await world.ended(training)).status ?? ""));
  const { status, cause } = await world.ended(await world.startTeardown("teardown-2"));
  assert.is(status, "SUCCEEDED", cause);
  const { campaigns, solutions } = await readInventory(world.personalize, world.names);
  assert.equal([campaigns, solutions], [[], []]);
  assert.is(await world.state.lock(), undefined);
  assert.is(await world.state.recipe("user_personalization"), undefined);
});

test.run();
