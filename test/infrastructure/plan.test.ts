// What Terraform and the provider plan in an account without any resource of the project.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { sharedCloud } from "../fixtures/cloud.ts";
import { CONFIGURATIONS, type ConfigurationName, configuration } from "../fixtures/configurations/configurations.ts";
import { asDeployer } from "../fixtures/deployer.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { planOf, writeStacks } from "../fixtures/plans.ts";
import { servedProvider } from "../fixtures/served-provider.ts";
import { requireTerraform } from "../fixtures/terraform.ts";
import { suite } from "../suite.ts";

const test = suite("terraform plan");
const terraform = requireTerraform();
const cloud = await asDeployer(await sharedCloud(), configuration("all-options"));
const env = { ...cloud.env, ...(await servedProvider(cloud, scratchFolder(TEST_OUTPUT, "provider-of-plans"))) };

interface Plan {
  resource_changes: Array<{
    address: string;
    type: string;
    change: { actions: string[]; after: Record<string, unknown> };
  }>;
  configuration: { root_module: { resources?: Array<{ mode: string }> } };
}

/** Returns the plan and the synthesized resources of each stack of a configuration. State is always local. */
async function plansOf(name: ConfigurationName) {
  const config = configuration(name, [["project.yaml", ["terraform"], undefined]]);
  const folder = scratchFolder(TEST_OUTPUT, `plan-of-${name}`);
  const plans = new Map<string, { plan: Plan; resources: string[] }>();
  for (const { name: stack, directory } of writeStacks(config, { folder })) {
    const plan: Plan = JSON.parse(await planOf(terraform, directory, env));
    const text: { resource: Record<string, object> } = JSON.parse(readFileSync(join(directory, "cdk.tf.json"), "utf8"));
    const resources = Object.entries(text.resource).flatMap(([type, byId]) =>
      Object.keys(byId).map((id) => `${type}.${id}`),
    );
    plans.set(stack, { plan, resources: resources.sort() });
  }
  return plans;
}

for (const name of CONFIGURATIONS) {
  test(`${name}: creates everything, and reads nothing of the account`, async () => {
    const plans = await plansOf(name);
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
