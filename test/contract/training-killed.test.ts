import {
  DescribeCampaignCommand,
  ListDatasetImportJobsCommand,
  ListSolutionsCommand,
  ListSolutionVersionsCommand,
} from "@aws-sdk/client-personalize";
import { StopExecutionCommand } from "@aws-sdk/client-sfn";
import * as assert from "uvu/assert";
import type { TrainingMode } from "../../lib/settings/recipes.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { onlyUsers } from "../lib/recommendation/training/settings.ts";
import { tasteEvents } from "../lib/recommendation/training/taste-events.ts";
import { type TrainingWorld, trainingWorld } from "../lib/recommendation/training/world.ts";
import { suite } from "../suite.ts";

const test = suite("a training that is killed and started again");

let world: TrainingWorld;

test.before(async () => {
  // Slow enough that an execution can be killed while it waits for each.
  world = await trainingWorld({
    project: "killed",
    settings: onlyUsers(),
    delays: { importing: 2_500, training: 2_500, deploying: 2_500, working: 1_500 },
  });
  await world.deployPersonalize();
  await world.setProfiles(40, 100);
  await world.setEvents(tasteEvents(60, 20));
});

test.after(() => world.stop());

/** Statuses of a stopped execution. The local interpreter reports one that was stopped inside a Map as failed. */
const KILLED = ["ABORTED", "FAILED"];

/** Counts what training has created. */
async function made() {
  const { datasetImportJobs = [] } = await world.personalize.send(new ListDatasetImportJobsCommand({}));
  const { solutions = [] } = await world.personalize.send(new ListSolutionsCommand({}));
  const { solutionVersions = [] } = await world.personalize.send(new ListSolutionVersionsCommand({}));
  return {
    imports: datasetImportJobs.length,
    solutions: solutions.length,
    versions: solutionVersions.length,
    campaigns: world.control.counts().CreateCampaign ?? 0,
  };
}

/** The mode of every training after the first. */
const RETRAINING = "update_dataset_group";

/** Starts a training and kills it as soon as `when` holds. */
async function killWhen(name: string, what: string, when: () => Promise<boolean>, mode: TrainingMode = "init") {
  const executionArn = await world.start(name, { mode });
  await waitFor(when, { what, timeoutMs: 90_000, intervalMs: 20 });
  await world.sfn.send(new StopExecutionCommand({ executionArn, error: "Killed" }));
  assert.ok(KILLED.includes((await world.ended(executionArn)).status ?? ""));
}

const stage = async () => (await world.state.lock())?.note;

test("the last run completes a training killed in ETL, imports, solution, version and campaign, and creates nothing twice", async () => {
  await killWhen("etl", "ETL", async () => (await stage())?.step === "etl");
  await killWhen("imports", "the imports", async () => (world.control.counts().CreateDatasetImportJob ?? 0) === 3);
  await killWhen("solution", "the solution", async () => (world.control.counts().CreateSolution ?? 0) === 1);
  await killWhen("version", "the version", async () => (world.control.counts().CreateSolutionVersion ?? 0) === 1);
  await killWhen("campaign", "the campaign", async () => (world.control.counts().CreateCampaign ?? 0) === 1);
  assert.is((await world.state.lock())?.origin, "etl", "all belong to the chain of the first");

  const { status, cause, output } = await world.ended(await world.start("last", { mode: "init" }));
  assert.is(status, "SUCCEEDED", cause);
  assert.equal(await made(), { imports: 3, solutions: 1, versions: 1, campaigns: 1 });
  assert.is(output.recipes[0].stage, "done");
});

test("trains nothing again after a kill when its recipe was finished", async () => {
  const versions = (await made()).versions;
  // The last step fails once and is retried five seconds later, which leaves time to kill it before it frees the lock.
  const lists = () => world.control.counts().ListSolutions ?? 0;
  const before = lists();
  world.control.failNext("ListSolutions", { code: "InvalidInputException" });
  await killWhen("at-the-end", "the last step", async () => lists() > before, RETRAINING);
  assert.is((await stage())?.recipes[0]?.stage, "done");
  const afterKill = (await made()).versions;
  assert.is(afterKill, versions + 1);
  const { status, cause } = await world.ended(await world.start("anew", { mode: RETRAINING }));
  assert.is(status, "SUCCEEDED", cause);
  assert.is((await made()).versions, afterKill);
});

test("imports and trains new data after a kill", async () => {
  const inVersion = async () => (await stage())?.recipes[0]?.stage === "version";
  await killWhen("old-data", "the version", inVersion, RETRAINING);
  const { versions, imports } = await made();
  await world.setEvents(tasteEvents(60, 25));
  const { status, cause, output } = await world.ended(await world.start("new-data", { mode: RETRAINING }));
  assert.is(status, "SUCCEEDED", cause);
  assert.equal([(await made()).versions, (await made()).imports], [versions + 1, imports + 3]);
  const campaignArn = world.names.arn("personalize", `campaign/${world.names.campaign("user_personalization")}`);
  const { campaign } = await world.personalize.send(new DescribeCampaignCommand({ campaignArn }));
  assert.is(campaign?.solutionVersionArn, output.recipes[0].version);
});

test.run();
