import { DescribeCampaignCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { event } from "../lib/recommendation/etl/run.ts";
import { onlyUsers } from "../lib/recommendation/training/settings.ts";
import { tasteEvents } from "../lib/recommendation/training/taste-events.ts";
import { type TrainingWorld, trainingWorld } from "../lib/recommendation/training/world.ts";
import { suite } from "../suite.ts";

const test = suite("metric gate on the local AWS endpoint");

/** A tenth of them are test users, enough that the drop to noise cannot be chance. */
const USERS = 600;

let world: TrainingWorld;

test.before(async () => {
  world = await trainingWorld({ project: "gated", settings: onlyUsers() });
  await world.deployPersonalize();
  await world.setProfiles(60, 100);
});

test.after(() => world.stop());

async function train(name: string) {
  const { status, cause, output } = await world.ended(await world.start(name, { mode: "update_dataset_group" }));
  assert.is(status, "SUCCEEDED", cause);
  return output.recipes[0];
}

async function served(): Promise<string> {
  const campaignArn = world.names.arn("personalize", `campaign/${world.names.campaign("user_personalization")}`);
  const { campaign } = await world.personalize.send(new DescribeCampaignCommand({ campaignArn }));
  return campaign?.solutionVersionArn ?? "";
}

/** Events that no model can predict. */
function noise(seed: number) {
  let state = seed;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  return Array.from({ length: 10 * USERS }, (_, index) =>
    event(`n${seed}-${index}`, {
      USER_ID: `U${index % USERS}`,
      ITEM_ID: `B${next(2_000)}`,
      TIMESTAMP: 1_740_000_000 + index * 60,
    }),
  );
}

test("holds a worse version back, and serves it without training once it is accepted", async () => {
  await world.setEvents(tasteEvents(USERS, 10));
  const good = await train("good");
  assert.is(good.stage, "done");
  assert.is(await served(), good.version);

  await world.setEvents(noise(7));
  const held = await train("worse");
  assert.is(held.stage, "held");
  assert.match(held.status, /^NDCG@25 is 0\.\d{4}, the active version has [01]\.\d{4}: a larger drop than /);
  assert.is(await served(), good.version);

  const versions = world.control.counts().CreateSolutionVersion;
  const { status, cause, output } = await world.ended(await world.start("accept", { mode: "accept" }));
  assert.is(status, "SUCCEEDED", cause);
  assert.equal([output.recipes[0].stage, output.recipes[0].version], ["done", held.version]);
  assert.is(await served(), held.version);
  assert.is(world.control.counts().CreateSolutionVersion, versions);
  assert.is(await world.state.lock(), undefined);
});

test.run();
