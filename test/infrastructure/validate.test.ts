import * as assert from "uvu/assert";
import type { StackName } from "../../lib/platform/naming/names.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { stackNames } from "../../stacks/input.ts";
import { synthesizeRemoval } from "../../stacks/removal.ts";
import { synthesize } from "../../stacks/synthesize.ts";
import {
  CONFIGURATIONS,
  configuration,
  discoveryOf,
  recommendation,
} from "../fixtures/configurations/configurations.ts";
import { fullConfiguration } from "../fixtures/configurations/every-option.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { servedProvider } from "../fixtures/served-provider.ts";
import { initTerraform, requireTerraform, runTerraform } from "../fixtures/terraform.ts";
import { ARTIFACTS } from "../stacks/support.ts";
import { suite } from "../suite.ts";

const test = suite("terraform validate");
const terraform = requireTerraform();
const served = await servedProvider({ env: {} }, scratchFolder(TEST_OUTPUT, "provider-of-validate"));

interface Diagnostics {
  valid: boolean;
  diagnostics: Array<{ severity: string; summary: string; detail: string }>;
}

/** Returns Terraform's diagnostics of a stack's configuration, warnings included. */
async function validate(directory: string): Promise<string[]> {
  await initTerraform(terraform, directory, { backend: false, env: served });
  const { stdout } = await runTerraform(terraform, directory, ["validate", "-json"], served);
  const { diagnostics }: Diagnostics = JSON.parse(stdout);
  return diagnostics.map(({ severity, summary, detail }) => `${severity}: ${summary}: ${detail}`);
}

const configs: { name: string; config: Configuration; stacks?: readonly StackName[] }[] = [
  ...CONFIGURATIONS.map((name) => ({ name, config: configuration(name) })),
  { name: "both services", config: fullConfiguration("both services") },
  { name: "the recommendation service alone", config: recommendation() },
  // Only the stacks with an API differ, and both make it with the same code.
  {
    name: "both services, with an authorizer",
    config: fullConfiguration("both services, with an authorizer"),
    stacks: ["search-gateway"],
  },
  {
    name: "both services, private, for callers of IAM",
    config: fullConfiguration("both services, private, for callers of IAM"),
    stacks: ["recommendation"],
  },
];

for (const { name, config, stacks } of configs) {
  for (const stack of stacks ?? stackNames(config)) {
    test(`accepts ${stack} of ${name} without a warning`, async () => {
      const outdir = scratchFolder(TEST_OUTPUT, "validate");
      const [{ directory } = { directory: "" }] = synthesize({
        config,
        discovery: discoveryOf(config),
        artifacts: ARTIFACTS,
        outdir,
        stacks: [stack],
      });
      assert.equal(await validate(directory), []);
    });
  }
}

test("accepts the configuration of a removal without a warning", async () => {
  const config = configuration("all-options");
  const outdir = scratchFolder(TEST_OUTPUT, "validate");
  const input = { config, account: "123456789012", outdir, stacks: stackNames(config) };
  for (const { directory } of synthesizeRemoval(input)) assert.equal(await validate(directory), []);
});

test.run();
