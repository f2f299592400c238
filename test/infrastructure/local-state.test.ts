// State on this machine: the state of one account is not used for another.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as assert from "uvu/assert";
import { findTerraform } from "../../cli/terraform/binary.ts";
import { initStack, pullState } from "../../cli/terraform/stack.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { synthesizeRemoval } from "../../stacks/removal.ts";
import { configuration } from "../fixtures/configurations/configurations.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { terraform } from "./project.ts";

const test = suite("state on this machine");

const folder = scratchFolder(TEST_OUTPUT, "local-state");
test.after(() => rmSync(folder, { recursive: true, force: true }));

const FIRST = "123456789012";
const SECOND = "210987654321";
const config = configuration("minimal");
const namesIn = (account: string) => namesOf({ project: "minimal", account, region: "eu-west-1" });

test("is separate for a second account in the same working folder", async () => {
  const env = { ...process.env, TF_PROVIDER_MIRROR: terraform.mirror };
  const runner = { terraform: await findTerraform(env), env, cacheFolder: join(folder, "providers"), note: () => {} };
  const stateFolder = join(folder, "state");
  const serialIn = async (account: string) => {
    const outdir = join(folder, "terraform");
    const [stack] = synthesizeRemoval({ config, account, outdir, stateFolder, stacks: ["storage"] });
    if (!stack) throw new Error("nothing was written");
    await initStack(runner, stack);
    const state = (await pullState(runner, stack)) as { serial?: number } | undefined;
    return state?.serial;
  };
  assert.is(await serialIn(FIRST), undefined);
  const file = join(stateFolder, namesIn(FIRST).stateFile("storage"));
  mkdirSync(resolve(file, ".."), { recursive: true });
  const lineage = "0b1c2d3e-0000-4000-8000-1a2b3c4d5e6f";
  writeFileSync(file, JSON.stringify({ version: 4, terraform_version: "1.10.0", serial: 7, lineage, resources: [] }));
  assert.is(await serialIn(FIRST), 7);
  assert.is(await serialIn(SECOND), undefined);
  assert.is(await serialIn(FIRST), 7);
});

test.run();
