import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { CreateCampaignCommand, CreateSolutionVersionCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { readCampaigns, readSolutions } from "../../../../lib/personalize/resources/inventory.ts";
import { personalizeOf } from "../../../../lib/personalize/resources/personalize.ts";
import { namesOf } from "../../../../lib/platform/naming/names.ts";
import type { TrainingContext } from "../../../../lib/recommendation/training/context.ts";
import {
  dynamoTrainingState,
  STOPPED_BY_UNINSTALL,
  type TrainingState,
} from "../../../../lib/recommendation/training/state.ts";
import { teardown } from "../../../../lib/recommendation/training/teardown.ts";
import {
  openFilter,
  openShop,
  type Shop,
  stockShop,
  trainVersion,
} from "../../../../packages/local-personalize/test/book-shop.ts";
import {
  ACCOUNT,
  type Harness,
  REGION,
  startPersonalize,
} from "../../../../packages/local-personalize/test/harness.ts";
import { suite } from "../../../suite.ts";
import { asRole } from "../../personalize/resources/as-role.ts";
import { failureOf, memoryPointers } from "../../personalize/resources/managed.ts";
import { lockOf, memoryState } from "./memory-state.ts";

const test = suite("teardown of training resources");

const names = namesOf({ project: "books", account: ACCOUNT, region: REGION });
const OURS = names.solution("similar_items", { any: "settings" });
const INPUT = { run: "teardown-1", execution: "arn:teardown-1", startedAt: "2025-03-02T09:00:00.000Z" };

let harness: Harness;
let shop: Shop;
let state: TrainingState;
let stopped: string[];
let alive: string[];

test.before.each(async () => {
  harness = await startPersonalize();
  shop = await openShop(harness, "books");
  await stockShop(harness, shop);
  state = memoryState();
  stopped = [];
  alive = [];
});

test.after.each(() => harness.stop());

const train = (name: string) => trainVersion(harness, shop, "aws-sims", { name });
const campaign = async (name: string, solutionVersionArn: string) => {
  await harness.personalize.send(new CreateCampaignCommand({ name, solutionVersionArn, minProvisionedTPS: 1 }));
  await harness.settle();
};

/** Polls once, with the function's permissions. */
const look = () => {
  const personalize = asRole(personalizeOf(harness.personalize, { wait: async () => {} }), "training", names);
  const executions = {
    isRunning: async (arn: string) => alive.includes(arn),
    async stop(arn: string, error: string) {
      stopped.push(`${arn} ${error}`);
      alive = alive.filter((one) => one !== arn);
    },
  };
  const looks = { arrivals: 1, imports: 1, recipes: 1, teardown: 30 };
  const pointers = memoryPointers();
  return teardown(INPUT, { personalize, names, state, executions, pointers, looks } as unknown as TrainingContext);
};

/** Polls until nothing is left. Returns what it waited for. */
async function tornDown(): Promise<string[]> {
  const waited: string[] = [];
  for (let looks = 0; looks < 10; looks += 1) {
    const { ready, left } = await look();
    if (ready) return waited;
    waited.push(...left);
    await harness.settle();
  }
  throw new Error(`it never ends: ${waited.join(", ")}`);
}

test("stops the training with its own error, and removes campaigns, then solutions", async () => {
  const { solutionVersionArn } = await train(OURS);
  await campaign(names.campaign("similar_items"), solutionVersionArn);
  await state.take(lockOf("one"), undefined);
  alive = ["arn:one"];
  assert.equal(await tornDown(), [
    "campaign books-similar-items is being removed",
    `solution ${OURS} is being removed`,
  ]);
  assert.equal(stopped, [`arn:one ${STOPPED_BY_UNINSTALL}`]);
  assert.equal(
    [await readSolutions(harness.personalize, names), await readCampaigns(harness.personalize, names)],
    [[], []],
  );
  assert.is(await state.lock(), undefined);
});

test("leaves a filter alone that was created by hand", async () => {
  await openFilter(harness, shop, "by-hand", 'INCLUDE ItemID WHERE Items.CATEGORIES IN ("c1")');
  await train(OURS);
  assert.equal(await tornDown(), [`solution ${OURS} is being removed`]);
});

test("stops at a solution that was created by hand, says what to do, and does not touch the solution", async () => {
  const { solutionArn } = await train("by-hand");
  await harness.personalize.send(new CreateSolutionVersionCommand({ solutionArn }));
  assert.match(
    await failureOf(look()),
    /^TrainingError: The dataset group books contains what this service did not create: solution by-hand\. Remove it by hand/,
  );
  const { StopSolutionVersionCreation: stops, DeleteSolution: deletions } = harness.standIn.control.counts();
  assert.equal([stops, deletions], [undefined, undefined]);
});

test("stops at a solution of its own that another campaign serves, and names the campaign", async () => {
  const { solutionVersionArn } = await train(OURS);
  await campaign("their-own", solutionVersionArn);
  await campaign(names.campaign("similar_items"), solutionVersionArn);
  assert.equal((await look()).left, ["campaign books-similar-items is being removed"]);
  await harness.settle();
  assert.match(
    await failureOf(look()),
    `TrainingError: The solution ${OURS} is used by what this service did not create: campaign their-own.`,
  );
});

test("stops a version once, and waits until it has stopped", async () => {
  const { solutionArn } = await train(OURS);
  await harness.personalize.send(new CreateSolutionVersionCommand({ solutionArn }));
  await harness.standIn.control.advance(150);
  assert.match((await look()).left.join(), /^version \w+ of books-similar-items-\w+ is being stopped$/);
  const versions = (await readSolutions(harness.personalize, names))[0]?.versions ?? [];
  assert.equal(
    versions.map(({ status }) => status),
    ["ACTIVE", "CREATE STOPPING"],
  );
  assert.match((await look()).left.join(), /is being stopped$/);
  assert.is(harness.standIn.control.counts().StopSolutionVersionCreation, 1);
  await harness.settle();
  assert.equal(await tornDown(), [`solution ${OURS} is being removed`]);
});

test("continues when an earlier removal has deleted its table", async () => {
  await train(OURS);
  const client = {
    async send() {
      throw Object.assign(new Error("Requested resource not found"), { name: "ResourceNotFoundException" });
    },
  };
  state = dynamoTrainingState(client as unknown as DynamoDBClient, "gone");
  assert.equal(await tornDown(), [`solution ${OURS} is being removed`]);
});

test.run();
