// What Terraform and the provider plan in an account that has nothing of the project yet.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { namesOf } from "../../lib/naming/names.ts";
import { scratchFolder } from "../../local/process/scratch.ts";
import { synthesize } from "../../stacks/synthesize.ts";
import { sharedCloud } from "../fixtures/cloud.ts";
import {
  CONFIGURATIONS,
  type ConfigurationName,
  configuration,
  discoveryOf,
} from "../fixtures/configurations/configurations.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { findTerraform, initTerraform, type Terraform, terraformOk } from "../fixtures/terraform.ts";
import { ARTIFACTS } from "../stacks/support.ts";
import { suite } from "../suite.ts";

const test = suite("terraform plan");
const terraform = findTerraform();
const cloud = await sharedCloud();

interface Plan {
  resource_changes: Array<{
    address: string;
    type: string;
    change: { actions: string[]; after: Record<string, unknown> };
  }>;
  configuration: { root_module: { resources?: Array<{ mode: string }> } };
}

/** The plans of a configuration's stacks with their synthesized texts, by stack. State is local whatever it says. */
async function plansOf(tool: Terraform, name: ConfigurationName) {
  const config = configuration(name, [["project.yaml", ["terraform"], undefined]]);
  const folder = scratchFolder(TEST_OUTPUT, `plan-of-${name}`);
  const stacks = synthesize({
    config,
    discovery: discoveryOf(config),
    artifacts: ARTIFACTS,
    outdir: join(folder, "stacks"),
    stateFolder: join(folder, "state"),
    maxRetries: 2,
  });
  const plans = new Map<string, { plan: Plan; resources: string[] }>();
  for (const { name: stack, directory } of stacks) {
    await initTerraform(tool, directory, { env: cloud.env });
    await terraformOk(tool, directory, ["plan", "-input=false", "-no-color", "-out=plan"], cloud.env);
    const { stdout } = await terraformOk(tool, directory, ["show", "-json", "plan"], cloud.env);
    const text: { resource: Record<string, object> } = JSON.parse(readFileSync(join(directory, "cdk.tf.json"), "utf8"));
    const resources = Object.entries(text.resource).flatMap(([type, byId]) =>
      Object.keys(byId).map((id) => `${type}.${id}`),
    );
    plans.set(stack, { plan: JSON.parse(stdout), resources: resources.sort() });
  }
  return plans;
}

function tested(name: string, work: (tool: Terraform) => Promise<void>): void {
  if (terraform) test(name, () => work(terraform));
  else test.skip(`${name} (no Terraform of at least 1.10 on PATH or as TERRAFORM_BINARY)`);
}

for (const name of CONFIGURATIONS) {
  tested(`${name}: everything is created, nothing of the account is read`, async (tool) => {
    const plans = await plansOf(tool, name);
    assert.equal([...plans.keys()], ["storage", "foundation", "search-gateway"]);
    for (const [stack, { plan, resources }] of plans) {
      const changes = plan.resource_changes;
      assert.equal(
        changes.filter(({ change }) => change.actions.join() !== "create"),
        [],
        stack,
      );
      assert.equal(changes.map(({ address }) => address).sort(), resources, stack);
      assert.equal(
        (plan.configuration.root_module.resources ?? []).filter(({ mode }) => mode !== "managed"),
        [],
        stack,
      );
    }
    const names = namesOf({ project: name, account: "123456789012", region: "eu-west-1" });
    const gateway = plans.get("search-gateway")?.plan.resource_changes ?? [];
    const planned = (type: string, attribute: string) =>
      gateway.filter((one) => one.type === type).map(({ change }) => change.after[attribute]);
    assert.ok(planned("aws_lambda_function", "function_name").includes(names.function("api-router")));
    assert.equal(planned("aws_api_gateway_rest_api", "name"), [names.api("search-gateway")]);
    const tags = gateway.map(({ change }) => change.after.tags_all as Record<string, string> | undefined);
    assert.equal(
      tags.filter((one) => one && one["relevance:project"] !== name),
      [],
    );
  });
}

test.run();
