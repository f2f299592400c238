import { DescribeCampaignCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { event } from "../lib/recommendation/etl/run.ts";
import { onlyUsers } from "../lib/recommendation/training/settings.ts";
import { tasteEvents } from "../lib/recommendation/training/taste-events.ts";
import { type TrainingWorld, trainingWorld } from "../lib/recommendation/training/world.ts";
import { suite } from "../suite.ts";

const test = suite("metric gate on the local AWS endpoint");

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

/** Nobody could guess what comes next. */
function noise(seed: number) {
  let state = seed;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  return Array.from({ length: 1_800 }, (_, index) =>
    event(`n${seed}-${index}`, {
      USER_ID: `U${index % 60}`,
      ITEM_ID: `B${next(2_000)}`,
      TIMESTAMP: 1_740_000_000 + index * 60,
    }),
  );
}

test("a worse version is held back twice, and the third in a row is switched to", async () => {
  await world.setEvents(tasteEvents(60, 30));
  const good = await train("good");
  assert.is(good.stage, "done");
  assert.is(await served(), good.version);

  for (const name of ["worse-1", "worse-2"]) {
    await world.setEvents(noise(name.length + name.charCodeAt(6)));
    const held = await train(name);
    assert.is(held.stage, "held");
    assert.match(
      held.status,
      /^NDCG@25 is 0\.\d{4}, of the active version 0\.\d{4}: worse than the tolerance of 10 % allows$/,
    );
    assert.is(await served(), good.version);
  }
  assert.is((await world.state.recipe("user_personalization"))?.held.length, 2);

  await world.setEvents(noise(99));
  const third = await train("worse-3");
  assert.is(third.stage, "done");
  assert.match(third.status, "2 versions in a row were held back before");
  assert.is(await served(), third.version);
  assert.equal((await world.state.recipe("user_personalization"))?.held, []);
});

test("a strict gate holds back the third in a row too", async () => {
  await world.setEvents(tasteEvents(60, 30));
  const good = await train("good-again");
  assert.is(good.stage, "done");
  const known = await world.state.recipe("user_personalization");
  assert.ok(known);
  await world.state.saveRecipe("user_personalization", {
    ...known,
    held: ["one", "two"],
    revision: known.revision + 1,
  });
  await world.redeploy({ ...onlyUsers(), metric_gate: { tolerance: 0.1, strict: true } });
  await world.setEvents(noise(200));
  assert.is((await train("strict")).stage, "held");
  assert.is(await served(), good.version);
});

test.run();
