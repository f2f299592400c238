// Personalize's resources by Terraform, which deploys personalize-manager to create them in the local Personalize. Each
// test continues from the state that the previous one left.
import { DeleteFilterCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { waitFor } from "../../packages/processes/wait.ts";
import { recommendation } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";
import { stepsOf } from "./recommendation-world.ts";

const test = suite("Personalize's resources by Terraform");
const step = stepsOf(test, { name: "recommendation-apply", functions: ["personalize-manager"] });

step("the function creates everything, and the second plan is empty", async (world) => {
  for (const stack of ["personalization", "filters"] as const) {
    await world.planned(stack);
    await world.applied(stack);
  }
  const found = await world.inventory();
  assert.is(found.dataset_group?.status, "ACTIVE");
  assert.equal(found.datasets.map(({ dataset, status }) => `${dataset} ${status}`).sort(), [
    "interaction ACTIVE",
    "item ACTIVE",
    "user ACTIVE",
  ]);
  assert.is(found.event_tracker?.status, "ACTIVE");
  assert.equal(found.filters.map(({ name, status }) => `${name.replace(/\d{10}$/, "N")} ${status}`).sort(), [
    "my-project-category-N ACTIVE",
    "my-project-not_purchased-N ACTIVE",
  ]);
  assert.is(await world.pointer("category"), found.filters.find(({ name }) => name.includes("category"))?.arn);
  for (const stack of ["personalization", "filters"] as const) assert.equal(await world.planned(stack), [], stack);
});

step("new code of personalize-manager replaces nothing in Personalize", async (world) => {
  const { artifacts } = world.input;
  const zip = artifacts["personalize-manager"]?.zip ?? "";
  world.input.artifacts = { "personalize-manager": { zip, sha256: "bmV3IGNvZGU=" } };
  assert.equal(await world.planned("personalization"), [
    "update aws_lambda_alias.personalize-manager-live",
    "update aws_lambda_function.personalize-manager",
  ]);
  assert.equal(await world.planned("filters"), []);
  world.input.artifacts = artifacts;
});

step("a changed expression is one replacement: it creates the new filter first, and switches to it", async (world) => {
  const before = await world.pointer("category");
  const expression = "EXCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)";
  world.input.config = recommendation([["filter.yaml", ["filters", 0, "expression"], expression]]);
  assert.equal(await world.planned("filters"), ["create,delete aws_lambda_invocation.filter-category"]);
  assert.equal(await world.planned("personalization"), []);
  await world.applied("filters");
  const after = await world.pointer("category");
  assert.is.not(after, before);
  const { filters } = await world.inventory();
  assert.is(filters.length, 2);
  assert.is(filters.find(({ arn }) => arn === after)?.expression, expression);
});

step("a filter deleted by hand is recreated by the next plan, and the plan after that is empty", async (world) => {
  const filterArn = await world.pointer("category");
  await world.client.send(new DeleteFilterCommand({ filterArn }));
  const gone = async () => (await world.inventory()).filters.length === 1;
  await waitFor(gone, { what: "the filter to go", timeoutMs: 30_000 });
  await world.discover("filters");
  assert.equal(await world.planned("filters"), ["update aws_lambda_invocation.filter-category"]);
  await world.applied("filters");
  assert.is((await world.inventory()).filters.length, 2);
  await world.discover("filters");
  assert.equal(await world.planned("filters"), []);
});

step("a filter removed from filter.yaml is deleted", async (world) => {
  world.input.config = recommendation([["filter.yaml", ["filters", 0], undefined]]);
  world.input.repairs = {};
  assert.equal(await world.planned("filters"), ["delete aws_lambda_invocation.filter-category"]);
  await world.applied("filters");
  assert.equal(
    (await world.inventory()).filters.map(({ name }) => name.replace(/\d{10}$/, "N")),
    ["my-project-not_purchased-N"],
  );
});

step("an uninstallation first allows deletions, then removes everything", async (world) => {
  await world.removed("filters");
  const applied = await world.appliedInputs("personalization");
  assert.equal(
    await world.planned("personalization", { uninstall: { applied, inVpc: false } }),
    Object.keys(applied)
      .map((id) => `update aws_lambda_invocation.${id}`)
      .sort(),
  );
  await world.applied("personalization");
  await world.removed("personalization");
  const found = await world.inventory();
  assert.equal([found.dataset_group, found.datasets, found.filters, found.event_tracker], [null, [], [], null]);
  assert.equal((await world.stateOf("personalization")).resources, []);
});

test.run();
