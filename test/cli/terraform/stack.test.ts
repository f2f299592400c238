import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { pullState, type Runner } from "../../../cli/terraform/stack.ts";
import { suite } from "../../suite.ts";

const test = suite("state of a stack");
const folder = mkdtempSync(join(tmpdir(), "stack-"));
test.after(() => rmSync(folder, { recursive: true }));

const stack = { name: "storage", directory: join(folder, "terraform/storage") };
mkdirSync(stack.directory, { recursive: true });
const backend = { local: { path: "../../state/storage.tfstate" } };
writeFileSync(join(stack.directory, "cdk.tf.json"), JSON.stringify({ terraform: { backend } }));
const file = join(folder, "state/storage.tfstate");
mkdirSync(join(folder, "state"));

const runner = (env: Runner["env"] = {}): Runner => ({
  terraform: { path: join(folder, "no-terraform"), product: "Terraform", version: "1.11.4" },
  env,
  cacheFolder: join(folder, "providers"),
  note: () => {},
});
const asksTerraform = (env?: Runner["env"]) =>
  pullState(runner(env), stack).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT" && String(error).includes("no-terraform"),
  );

test("is read from its file, which takes no run of Terraform", async () => {
  assert.is(await pullState(runner(), stack), undefined);
  const state = { version: 4, serial: 7, resources: [] };
  writeFileSync(file, JSON.stringify(state));
  assert.equal(await pullState(runner(), stack), state);
});

test("is asked of Terraform if it is encrypted, or a variable puts it elsewhere", async () => {
  assert.is(await asksTerraform({ TF_WORKSPACE: "blue" }), true);
  assert.is(await asksTerraform({ TF_CLI_ARGS_init: "-backend-config=path=elsewhere" }), true);
  writeFileSync(file, JSON.stringify({ serial: 7, lineage: "x", encrypted_data: "eA==" }));
  assert.is(await asksTerraform(), true);
});

test.run();
