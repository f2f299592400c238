// Kills Terraform each time Personalize has just created or removed something, before Terraform learns of it. The next
// run resumes there, until there is no step left at which to kill it. The provider goes on, but it starts no call by itself;
// one for each run would take minutes of processor time.
import { DeleteSolutionCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { waitFor } from "../../packages/processes/wait.ts";
import { recommendation } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";
import { type Run, stepsOf } from "./recommendation-world.ts";

const test = suite("interrupted applies");
/** What Personalize has created, changed and removed since `taken` was last called. */
let done: string[] = [];
const taken = () => done.splice(0).sort();
/** Kills the run in progress. */
let kill = () => {};
const step = stepsOf(test, {
  name: "recommendation-interrupted",
  onSuccess(operation) {
    if (!/^(Create|Update|Delete)/.test(operation)) return;
    done.push(operation);
    kill();
  },
});

/** More than any stack needs, so that an apply without progress fails the test. */
const MOST_RUNS = 15;

/** Repeats an apply, killing each run at its first change in Personalize. Returns the number of kills. */
async function killedAtEach(start: () => Promise<Run>): Promise<number> {
  for (let kills = 0; kills < MOST_RUNS; kills += 1) {
    const run = await start();
    kill = () => {
      kill = () => {};
      run.kill();
    };
    const { code, killed, stdout, stderr } = await run.ended;
    kill = () => {};
    if (killed) continue;
    assert.is(code, 0, `${stdout}\n${stderr}`);
    return kills;
  }
  throw new Error(`not done after ${MOST_RUNS} runs, in which Personalize did ${done.join(", ")}`);
}

step("resume after each of the dataset group, schemas, datasets and tracker", async (world) => {
  assert.is(await killedAtEach(() => world.start("personalization")), 8);
  assert.equal(taken(), [
    "CreateDataset",
    "CreateDataset",
    "CreateDataset",
    "CreateDatasetGroup",
    "CreateEventTracker",
    "CreateSchema",
    "CreateSchema",
    "CreateSchema",
  ]);
  assert.equal(await world.planned("personalization"), []);
  const { dataset_group, datasets, event_tracker } = await world.inventory();
  const states = [dataset_group, ...datasets, event_tracker].map((one) => one?.status);
  assert.equal(states, ["ACTIVE", "ACTIVE", "ACTIVE", "ACTIVE", "ACTIVE"]);
});

step("resume after each filter", async (world) => {
  assert.is(await killedAtEach(() => world.start("filters")), 2);
  assert.equal(taken(), ["CreateFilter", "CreateFilter"]);
  assert.equal(await world.planned("filters"), []);
});

step("resume after the new filter of a rotation, and after the removal of the old one", async (world) => {
  const expression = "EXCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)";
  world.input.config = recommendation([["filter.yaml", ["filters", 0, "expression"], expression]]);
  assert.is(await killedAtEach(() => world.start("filters")), 2);
  assert.equal(taken(), ["CreateFilter", "DeleteFilter"]);
  assert.equal(await world.planned("filters"), []);
  const { filters } = await world.inventory();
  assert.is(filters.length, 2);
  assert.is(filters.find(({ name }) => name.includes("category"))?.expression, expression);
});

step("resume after each campaign", async (world) => {
  for (const recipe of ["user_personalization", "similar_items", "personalized_ranking"] as const) {
    await world.train(recipe);
  }
  done = [];
  const targets = ["user-personalization", "similar-items", "personalized-ranking"].map(
    (id) => `-target=aws_lambda_invocation.campaign-${id}`,
  );
  assert.is(await killedAtEach(() => world.start("recommendation", targets)), 3);
  assert.equal(taken(), ["CreateCampaign", "CreateCampaign", "CreateCampaign"]);
  const { campaigns } = await world.inventory();
  assert.equal(
    campaigns.map(({ recipe, status }) => `${recipe} ${status}`),
    ["user_personalization ACTIVE", "similar_items ACTIVE", "personalized_ranking ACTIVE"],
  );
});

step(
  "resume an uninstallation after each campaign, filter, tracker, dataset, schema and the dataset group",
  async (world) => {
    assert.is(await killedAtEach(() => world.startRemoval("recommendation")), 3);
    assert.equal(taken(), ["DeleteCampaign", "DeleteCampaign", "DeleteCampaign"]);
    // The teardown removes solutions, not Terraform.
    for (const { arn: solutionArn } of (await world.inventory()).solutions) {
      await world.client.send(new DeleteSolutionCommand({ solutionArn }));
    }
    const gone = async () => (await world.inventory()).solutions.length === 0;
    await waitFor(gone, { what: "the solutions to go", timeoutMs: 30_000 });
    done = [];
    assert.is(await killedAtEach(() => world.startRemoval("filters")), 2);
    assert.equal(taken(), ["DeleteFilter", "DeleteFilter"]);

    const uninstall = { applied: await world.appliedInputs("personalization"), inVpc: false };
    assert.is(await killedAtEach(() => world.start("personalization", [], { uninstall })), 0);
    assert.equal(taken(), [], "that it may be deleted changes nothing in Personalize");
    assert.is(await killedAtEach(() => world.startRemoval("personalization")), 8);
    assert.equal(taken(), [
      "DeleteDataset",
      "DeleteDataset",
      "DeleteDataset",
      "DeleteDatasetGroup",
      "DeleteEventTracker",
      "DeleteSchema",
      "DeleteSchema",
      "DeleteSchema",
    ]);
    for (const stack of ["recommendation", "filters", "personalization"] as const) {
      assert.equal((await world.stateOf(stack)).resources, [], stack);
    }
    assert.is((await world.inventory()).dataset_group, null);
  },
);

test.run();
