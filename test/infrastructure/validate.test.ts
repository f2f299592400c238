import * as assert from "uvu/assert";
import { scratchFolder } from "../../local/process/scratch.ts";
import { stackNames } from "../../stacks/input.ts";
import { synthesizeRemoval } from "../../stacks/removal.ts";
import { synthesize } from "../../stacks/synthesize.ts";
import { CONFIGURATIONS, configuration, discoveryOf } from "../fixtures/configurations/configurations.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { initTerraform, requireTerraform, runTerraform } from "../fixtures/terraform.ts";
import { fullExample, valid } from "../lib/config/example.ts";
import { ARTIFACTS, recommendation } from "../stacks/support.ts";
import { suite } from "../suite.ts";

const test = suite("terraform validate");
const terraform = requireTerraform();

interface Diagnostics {
  valid: boolean;
  diagnostics: Array<{ severity: string; summary: string; detail: string }>;
}

/** What Terraform says of a stack's configuration, warnings included. */
async function validate(directory: string): Promise<string[]> {
  await initTerraform(terraform, directory, { backend: false });
  const { stdout } = await runTerraform(terraform, directory, ["validate", "-json"]);
  const { diagnostics }: Diagnostics = JSON.parse(stdout);
  return diagnostics.map(({ severity, summary, detail }) => `${severity}: ${summary}: ${detail}`);
}

const configs = [
  ...CONFIGURATIONS.map((name) => ({ name, config: configuration(name) })),
  { name: "both services", config: valid(fullExample()) },
  { name: "the recommendation service alone", config: recommendation() },
];

for (const { name, config } of configs) {
  for (const stack of stackNames(config)) {
    test(`${stack} of ${name} is valid, without a warning`, async () => {
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

test("what is removed is valid, without a warning", async () => {
  const config = configuration("all-options");
  const outdir = scratchFolder(TEST_OUTPUT, "validate");
  const input = { config, account: "123456789012", outdir, stacks: stackNames(config) };
  for (const { directory } of synthesizeRemoval(input)) assert.equal(await validate(directory), []);
});

test.run();
