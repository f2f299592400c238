// Both services from the first deployment to nothing, by the commands that a user gives: Terraform against the local
// cloud, a real cluster, the local Personalize. Each test continues from the state that the previous one left.
import { rmSync } from "node:fs";
import { suite } from "../suite.ts";
import { changes } from "./changes.ts";
import { deployment } from "./deployment.ts";
import { recommending } from "./recommending.ts";
import { removal } from "./removal.ts";
import { createWorld } from "./world.ts";

const test = suite("both services, from deploy to nothing");

const world = await createWorld();
test.after(async () => {
  rmSync(world.project.folder, { recursive: true, force: true });
  await world.cloud.stop();
});
const services = deployment(test, world);
recommending(test, world, services);
changes(test, world, services);
removal(test, world, services);

test.run();
