// Personalize's resources by Terraform: personalize-manager, deployed by it, makes them in the local Personalize. Each test
// goes on where the one before has ended.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { DeleteFilterCommand, PersonalizeClient } from "@aws-sdk/client-personalize";
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import * as assert from "uvu/assert";
import { buildFunctions } from "../../build/functions.ts";
import { appliedInputs } from "../../cli/deploy/applied-inputs.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { repairMarkers } from "../../lib/discovery/personalize.ts";
import { namesOf, type StackName } from "../../lib/naming/names.ts";
import { readInventory } from "../../lib/personalize-manager/inventory.ts";
import { personalizeOf } from "../../lib/personalize-manager/personalize.ts";
import { ACCOUNT_ID, REGION } from "../../local/cloud/front.ts";
import { createPersonalize } from "../../local/personalize/personalize.ts";
import { scratchFolder } from "../../local/process/scratch.ts";
import { waitFor } from "../../local/process/wait.ts";
import type { StackInput } from "../../stacks/input.ts";
import { synthesize } from "../../stacks/synthesize.ts";
import { clientOptions, ownCloud } from "../fixtures/cloud.ts";
import { discoveryOf } from "../fixtures/configurations/configurations.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { findTerraform, initTerraform, type Terraform, terraformOk } from "../fixtures/terraform.ts";
import { recommendation } from "../stacks/support.ts";
import { suite } from "../suite.ts";

const test = suite("Personalize's resources by Terraform");
const terraform = findTerraform();

const names = namesOf({ project: "my-project", account: ACCOUNT_ID, region: REGION });
const standIn = createPersonalize({
  accountId: ACCOUNT_ID,
  region: REGION,
  delays: { pending: 20, working: 60 },
  // Nothing is imported.
  objects: { list: async () => [], read: async () => Readable.from([]) },
});
const cloud = await ownCloud({ standIns: [standIn] });
const folder = scratchFolder(TEST_OUTPUT, "recommendation-apply");
const artifacts = await buildFunctions({ outdir: join(folder, "functions"), functions: ["personalize-manager"] });
const client = new PersonalizeClient(clientOptions(cloud));
const ssm = new SSMClient(clientOptions(cloud));
test.after(async () => {
  await cloud.stop();
  rmSync(folder, { recursive: true, force: true });
});

const inventory = () => readInventory(personalizeOf(client), names);
const pointer = async (filter: string) =>
  (await ssm.send(new GetParameterCommand({ Name: names.filterParameter(filter) }))).Parameter?.Value;

let config: Configuration = recommendation();
let repairs: Record<string, string> = {};

/** The stack's folder, synthesized anew. */
function written(stack: StackName, more: Partial<StackInput> = {}): string {
  const [synthesized] = synthesize({
    config,
    discovery: { ...discoveryOf(config), personalize: { repairs } },
    artifacts,
    outdir: join(folder, "stacks"),
    stateFolder: join(folder, "state"),
    maxRetries: 2,
    stacks: [stack],
    ...more,
  });
  return synthesized?.directory ?? "";
}

interface Change {
  address: string;
  change: { actions: string[]; before: { input?: string } | null; after: { input?: string } | null };
}

/** What a plan of a stack would do. */
async function planned(tool: Terraform, stack: StackName, more?: Partial<StackInput>): Promise<Change[]> {
  const directory = written(stack, more);
  await initTerraform(tool, directory, { env: cloud.env });
  await terraformOk(tool, directory, ["plan", "-input=false", "-no-color", "-out=plan"], cloud.env);
  const { stdout } = await terraformOk(tool, directory, ["show", "-json", "plan"], cloud.env);
  const { resource_changes = [] }: { resource_changes?: Change[] } = JSON.parse(stdout);
  return resource_changes.filter(({ change }) => change.actions.join() !== "no-op");
}

const actions = (changes: readonly Change[]) => changes.map(({ address, change }) => `${change.actions} ${address}`);

/** Applies what was planned last. */
async function applied(tool: Terraform, stack: StackName): Promise<void> {
  await terraformOk(tool, join(folder, "stacks", "stacks", stack), ["apply", "-no-color", "plan"], cloud.env);
}

async function appliedOf(tool: Terraform, stack: StackName) {
  const { stdout } = await terraformOk(tool, join(folder, "stacks", "stacks", stack), ["state", "pull"], cloud.env);
  return appliedInputs(JSON.parse(stdout));
}

function step(name: string, work: (tool: Terraform) => Promise<void>): void {
  if (terraform) test(name, () => work(terraform));
  else test.skip(`${name} (no Terraform of at least 1.10 on PATH or as TERRAFORM_BINARY)`);
}

step("the function makes everything, and the second plan is empty", async (tool) => {
  for (const stack of ["personalization", "filters"] as const) {
    await planned(tool, stack);
    await applied(tool, stack);
  }
  const found = await inventory();
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
  assert.is(await pointer("category"), found.filters.find(({ name }) => name.includes("category"))?.arn);
  for (const stack of ["personalization", "filters"] as const) assert.equal(await planned(tool, stack), [], stack);
});

step("a changed expression is one replacement, the new filter first, and is switched to", async (tool) => {
  const before = await pointer("category");
  const expression = "EXCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)";
  config = recommendation([["filter.yaml", ["filters", 0, "expression"], expression]]);
  assert.equal(actions(await planned(tool, "filters")), ["create,delete aws_lambda_invocation.filter-category"]);
  assert.equal(await planned(tool, "personalization"), []);
  await planned(tool, "filters");
  await applied(tool, "filters");
  const after = await pointer("category");
  assert.is.not(after, before);
  const { filters } = await inventory();
  assert.is(filters.length, 2);
  assert.is(filters.find(({ arn }) => arn === after)?.expression, expression);
});

step("a filter that was deleted by hand comes back with the next plan, and then nothing is planned", async (tool) => {
  const filterArn = await pointer("category");
  await client.send(new DeleteFilterCommand({ filterArn }));
  await waitFor(async () => (await inventory()).filters.length === 1, { what: "the filter to go", timeoutMs: 30_000 });
  repairs = repairMarkers(await appliedOf(tool, "filters"), await inventory());
  assert.equal(actions(await planned(tool, "filters")), ["update aws_lambda_invocation.filter-category"]);
  await applied(tool, "filters");
  assert.is((await inventory()).filters.length, 2);
  repairs = repairMarkers(await appliedOf(tool, "filters"), await inventory());
  assert.equal(await planned(tool, "filters"), []);
});

step("a filter that is taken out of filter.yaml goes", async (tool) => {
  config = recommendation([["filter.yaml", ["filters", 0], undefined]]);
  repairs = {};
  assert.equal(actions(await planned(tool, "filters")), ["delete aws_lambda_invocation.filter-category"]);
  await applied(tool, "filters");
  assert.equal(
    (await inventory()).filters.map(({ name }) => name.replace(/\d{10}$/, "N")),
    ["my-project-not_purchased-N"],
  );
});

step("an uninstallation first allows the deletion, then nothing is left", async (tool) => {
  const directory = written("filters");
  await terraformOk(tool, directory, ["destroy", "-auto-approve", "-no-color"], cloud.env);
  const appliedInputs = await appliedOf(tool, "personalization");
  const uninstall = { applied: appliedInputs };
  const changes = await planned(tool, "personalization", { uninstall });
  assert.equal(
    actions(changes).sort(),
    Object.keys(appliedInputs)
      .map((id) => `update aws_lambda_invocation.${id}`)
      .sort(),
  );
  await applied(tool, "personalization");
  const whole = written("personalization", { uninstall });
  await terraformOk(tool, whole, ["destroy", "-auto-approve", "-no-color"], cloud.env);
  const found = await inventory();
  assert.equal([found.dataset_group, found.datasets, found.filters, found.event_tracker], [null, [], [], null]);
});

test.run();
