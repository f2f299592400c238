// One deployment from the first apply to the purge. Each test continues from the state that the previous one left.
import { rmSync } from "node:fs";
import * as assert from "uvu/assert";
import { checkNeededHere, refusedCalls } from "../fixtures/check-permissions.ts";
import { suite } from "../suite.ts";
import { changedPlans } from "./deployment/changed-plans.ts";
import { changedSettings } from "./deployment/changed-settings.ts";
import { firstDeployment } from "./deployment/first-deployment.ts";
import { keyAndList, removal } from "./deployment/key-and-removal.ts";
import { servedGateway } from "./deployment/served-gateway.ts";
import { createWorld } from "./deployment/world.ts";

const test = suite("a deployment");

const world = await createWorld();
test.after(async () => {
  rmSync(world.folder, { recursive: true, force: true });
  await world.cloud.stop();
});
firstDeployment(test, world);
servedGateway(test, world);
changedPlans(test, world);
changedSettings(test, world);
keyAndList(test, world);
removal(test, world);

test("no call was denied for lack of a permission", async () => {
  assert.equal(await refusedCalls({ cloud: world.cloud, project: world.project.name }), []);
});

test("the deployer needs permissions here that the end-to-end run does not", () =>
  checkNeededHere({ cloud: world.cloud, project: world.project.name }, "deploy.test"));

test.run();
