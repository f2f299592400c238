import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import * as assert from "uvu/assert";
import { initOptions, terraformEnvironment } from "../../../cli/terraform/environment.ts";
import { scratchFolder } from "../../../local/process/scratch.ts";
import { TEST_OUTPUT } from "../../fixtures/env.ts";
import { suite } from "../../suite.ts";

const test = suite("Terraform's environment");
const folder = scratchFolder(TEST_OUTPUT, "terraform-environment");
test.after(() => rmSync(folder, { recursive: true, force: true }));

test("keeps the caller's variables, and turns off prompts and colours", () => {
  assert.equal(terraformEnvironment({ AWS_PROFILE: "x", GONE: undefined }), {
    AWS_PROFILE: "x",
    TF_IN_AUTOMATION: "1",
    TF_INPUT: "0",
    CHECKPOINT_DISABLE: "1",
    NO_COLOR: "1",
  });
});

test("drops a configuration file that does not exist, and command-line options from variables", () => {
  const given = { TF_CLI_CONFIG_FILE: "/no/such", TF_CLI_ARGS: "-x", TF_CLI_ARGS_plan: "-target=y" };
  assert.equal(
    Object.keys(terraformEnvironment(given)).filter((name) => name.startsWith("TF_CLI")),
    [],
  );
  assert.is(
    terraformEnvironment({ TF_CLI_CONFIG_FILE: import.meta.filename }).TF_CLI_CONFIG_FILE,
    import.meta.filename,
  );
});

test("takes providers only from TF_PROVIDER_MIRROR if it is set", () => {
  assert.equal(initOptions({ TF_PROVIDER_MIRROR: "mirror" }, join(folder, "a")), {
    args: [`-plugin-dir=${resolve("mirror")}`],
    env: {},
  });
  assert.not(existsSync(join(folder, "a")));
});

test("shares one provider cache between stacks, unless the user has set one", () => {
  const cache = join(folder, "b");
  assert.is(initOptions({}, cache).env.TF_PLUGIN_CACHE_DIR, cache);
  assert.ok(existsSync(cache));
  assert.equal(initOptions({ TF_PLUGIN_CACHE_DIR: "/own" }, cache), { args: [], env: {} });
});

test.run();
