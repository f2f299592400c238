// The whole recommendation service by Terraform, from one apply. Each test continues from the state that the previous
// one left.
import { CreateCampaignCommand, UpdateCampaignCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import type { Change } from "../fixtures/configurations/configurations.ts";
import { recommendation } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";
import { projectResources } from "./project-resources.ts";
import { type RecommendationWorld, stepsOf } from "./recommendation-world.ts";

const test = suite("the recommendation service by Terraform");
/** Returns the service with these changes and with scheduled training, so that it has every resource. */
const service = (...changes: Change[]) =>
  recommendation([["solution.yaml", ["retraining"], { schedule: "rate(7 days)" }], ...changes]);

const step = stepsOf(test, { name: "recommendation-stack", config: service() });

const CAMPAIGN = "aws_lambda_invocation.campaign-similar-items";
const campaign = async (world: RecommendationWorld) => {
  const { campaigns } = await world.inventory();
  return campaigns.find(({ recipe }) => recipe === "similar_items");
};

step("is created whole, and the second plan is empty", async (world) => {
  for (const stack of ["personalization", "recommendation"] as const) {
    await world.planned(stack);
    await world.applied(stack);
  }
  assert.equal(await world.planned("recommendation"), []);
  // Without a version to serve, there is no campaign yet, which does not count as a difference.
  await world.discover("recommendation");
  assert.equal([world.input.repairs, await campaign(world)], [{}, undefined]);
});

step("plans nothing for a campaign that a training is creating or changing", async (world) => {
  const { client, names } = world;
  const solutionVersionArn = await world.train("similar_items");
  const campaignArn = names.arn("personalize", `campaign/${names.campaign("similar_items")}`);
  await world.withFrozenClock(async () => {
    const name = names.campaign("similar_items");
    await client.send(new CreateCampaignCommand({ name, solutionVersionArn, minProvisionedTPS: 1 }));
    await world.discover("recommendation");
    assert.is((await campaign(world))?.status, "CREATE PENDING");
    assert.equal(world.input.repairs, {});
  });
  await world.control.advance(60_000);
  await world.withFrozenClock(async () => {
    await client.send(new UpdateCampaignCommand({ campaignArn, solutionVersionArn }));
    await world.discover("recommendation");
    assert.is((await campaign(world))?.update?.status, "CREATE PENDING");
    assert.equal(await world.planned("recommendation"), []);
  });
  await world.control.advance(60_000);
});

step("plans changed TPS as one update in place, and plans it again after it failed", async (world) => {
  world.input.config = service(["campaign.yaml", ["campaigns", "similar_items", "min_provisioned_tps"], 3]);
  await world.discover("recommendation");
  assert.equal(await world.planned("recommendation"), [`update ${CAMPAIGN}`]);
  world.control.failCreation("campaign", "There is no capacity.");
  const failure = await world.applied("recommendation").then(
    () => "it was applied",
    (error: Error) => error.message,
  );
  assert.match(failure, "The update of the campaign my-project-similar-items is CREATE FAILED: There is no capacity.");
  assert.is((await campaign(world))?.min_provisioned_tps, 1);

  await world.discover("recommendation");
  assert.equal(await world.planned("recommendation"), [`update ${CAMPAIGN}`]);
  await world.applied("recommendation");
  assert.is((await campaign(world))?.min_provisioned_tps, 3);
  await world.discover("recommendation");
  assert.equal(await world.planned("recommendation"), []);
});

step("its removal leaves only resources of another stack", async (world) => {
  const found = await projectResources(world.cloud, "my-project");
  for (const one of ["table my-project-users", "state machine my-project-training", "api my-project-recommendation"]) {
    assert.ok(found.includes(one), `${one} of ${found.join(", ")}`);
  }
  await world.removed("recommendation");
  assert.equal((await world.stateOf("recommendation")).resources, []);
  assert.equal(await projectResources(world.cloud, "my-project"), [
    "function my-project-personalize-manager",
    "log group /aws/lambda/my-project-personalize-manager",
    "role my-project-personalize-eu-west-1",
    "role my-project-personalize-manager-eu-west-1",
  ]);
  assert.is(await campaign(world), undefined);
});

test.run();
