// Both services from the first deployment to removal, by the commands that users run, with Terraform against the local
// cloud, a real cluster and the local Personalize. Each test continues from the state that the previous one left.
import { globSync, rmSync } from "node:fs";
import * as assert from "uvu/assert";
import type { FunctionName } from "../../lib/platform/naming/names.ts";
import { permissionReport } from "../../packages/local-aws/cloud/permissions.ts";
import { checkPermissions } from "../fixtures/check-permissions.ts";
import { suite } from "../suite.ts";
import { changes } from "./changes.ts";
import { deployment } from "./deployment.ts";
import { recommending } from "./recommending.ts";
import { removal } from "./removal.ts";
import { createWorld } from "./world.ts";

const test = suite("both services, from deploy to destroy");

const world = await createWorld();
test.after(async () => {
  rmSync(world.project.folder, { recursive: true, force: true });
  await world.cloud.stop();
});
const services = deployment(test, world);
recommending(test, world, services);
changes(test, world, services);
removal(test, world, services);

test("no call was denied, and no role has an unneeded permission", () =>
  checkPermissions({ cloud: world.cloud, project: world.project.name }));

test("the role of every function existed", async () => {
  const functions = globSync("functions/*/policy.ts").map((file) => file.split("/")[1] ?? "");
  const roles = (await permissionReport(world.cloud)).map(({ principal }) => principal.split("/").at(-1));
  const missing = functions.filter((name) => !roles.includes(world.names.functionRole(name as FunctionName)));
  // cluster-scaler needs a cluster that scales, which takes a CloudWatch metric that the local cloud does not have.
  // Nothing is suggested in this configuration; test/integration/suggest.test.ts runs the function under its policy.
  assert.equal(missing.sort(), ["cluster-scaler", "suggestions"]);
});

test.run();
