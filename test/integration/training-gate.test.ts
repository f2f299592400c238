import { DescribeCampaignCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { event } from "../lib/recommendation/etl/run.ts";
import { judged } from "../lib/recommendation/training/memory-state.ts";
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

test("holds a worse version back twice, and switches to the third in a row", async () => {
  await world.setEvents(tasteEvents(USERS, 10));
  const good = await train("good");
  assert.is(good.stage, "done");
  assert.is(await served(), good.version);

  for (const name of ["worse-1", "worse-2"]) {
    await world.setEvents(noise(name.length + name.charCodeAt(6)));
    const held = await train(name);
    assert.is(held.stage, "held");
    assert.match(
      held.status,
      /^NDCG@25 is 0\.\d{4}, the active version has [01]\.\d{4}: a larger drop than (the tolerance of 10 % allows|chance explains \(0\.\d{4} with about \d+ test users\))$/,
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

test("a strict gate also holds back the third in a row", async () => {
  await world.setEvents(tasteEvents(USERS, 10));
  const good = await train("good-again");
  assert.is(good.stage, "done");
  const known = await world.state.recipe("user_personalization");
  assert.ok(known);
  await world.state.saveRecipe("user_personalization", {
    ...known,
    held: [judged("one"), judged("two")],
    revision: known.revision + 1,
  });
  await world.redeploy({ ...onlyUsers(), metric_gate: { tolerance: 0.1, strict: true } });
  await world.setEvents(noise(200));
  assert.is((await train("strict")).stage, "held");
  assert.is(await served(), good.version);
});

test("accepting a held version serves it without training", async () => {
  const held = (await world.state.recipe("user_personalization"))?.held.at(-1);
  const versions = world.control.counts().CreateSolutionVersion;
  const { status, cause, output } = await world.ended(await world.start("accept", { mode: "accept" }));
  assert.is(status, "SUCCEEDED", cause);
  assert.equal(output.recipes, [
    {
      recipe: "user_personalization",
      stage: "done",
      status: "accepted with relevance train --accept",
      version: held?.version,
    },
  ]);
  assert.is(await served(), held?.version);
  assert.is(world.control.counts().CreateSolutionVersion, versions);
  assert.is(await world.state.lock(), undefined);
});

test("switches to a version that a changed event type makes incomparable, and the report says why", async () => {
  const strict = { tolerance: 0.1, strict: true };
  await world.redeploy({ ...onlyUsers({ event_type: "view" }), metric_gate: strict });
  await world.setEvents(noise(300));
  const { stage, status } = await train("event-type");
  assert.is(stage, "done");
  assert.match(status, "whose NDCG@25 measures something else: target_event_type was not set, is view");
});

test.run();
