// State on this machine: what belongs to one account is not used for another.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as assert from "uvu/assert";
import { foldersOf } from "../../cli/state/folders.ts";
import { refuseStateOfNoAccount } from "../../cli/state/local-state.ts";
import { findTerraform } from "../../cli/terraform/binary.ts";
import { initStack, pullState } from "../../cli/terraform/stack.ts";
import { namesOf } from "../../lib/core/naming/names.ts";
import { seedAccount } from "../../local/cloud/seed.ts";
import { scratchFolder } from "../../local/process/scratch.ts";
import { synthesizeRemoval } from "../../stacks/removal.ts";
import { sharedCloud } from "../fixtures/cloud.ts";
import { configuration } from "../fixtures/configurations/configurations.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { terraform, testProject } from "./project.ts";

const test = suite("state on this machine");

const folder = scratchFolder(TEST_OUTPUT, "local-state");
test.after(() => rmSync(folder, { recursive: true, force: true }));

const FIRST = "123456789012";
const SECOND = "210987654321";
const config = configuration("minimal");
const namesIn = (account: string) => namesOf({ project: "minimal", account, region: "eu-west-1" });

test("a second account in the same working folder has its own", async () => {
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

test("one of no account is refused by every command that would use it, with the command that moves it", async () => {
  const cloud = await sharedCloud();
  const account = await seedAccount(cloud);
  const name = `moved-${process.pid}`;
  const project = await testProject({
    folder: join(folder, "project"),
    cloud,
    account,
    configuration: "minimal",
    name,
  });
  const before = join(project.folder, ".terraform-state", name);
  mkdirSync(before, { recursive: true });
  for (const file of ["storage.tfstate", "storage.tfstate.backup"]) writeFileSync(join(before, file), "{}");
  for (const command of [["plan"], ["deploy", "--yes"], ["list"], ["purge", "--yes"]]) {
    const { err, code } = await project.relevance(...command);
    assert.match(
      err,
      `Terraform's state of ${name} (storage.tfstate) is in .terraform-state/${name}, which does not say`,
    );
    assert.is(code, 1, command.join(" "));
  }
});

test("the command of that message makes it the account's", async () => {
  const state = join(folder, "moving");
  const before = join(state, "minimal");
  mkdirSync(before, { recursive: true });
  writeFileSync(join(before, "storage.tfstate"), "{}");
  const folders = { ...foldersOf("minimal"), state };
  const refuse = () => refuseStateOfNoAccount({ config, folders }, FIRST, namesIn(FIRST));
  let message = "";
  try {
    refuse();
  } catch (error) {
    message = String(error);
  }
  const [, command = ""] = /^ {2}(mkdir .*)$/m.exec(message) ?? [];
  const { execSync } = await import("node:child_process");
  execSync(command);
  assert.is(readFileSync(join(state, namesIn(FIRST).stateFile("storage")), "utf8"), "{}");
  assert.not(existsSync(join(before, "storage.tfstate")));
  refuse();
});

test("state in a bucket is not looked for on this machine", () => {
  const state = join(folder, "bucket");
  mkdirSync(join(state, "all-options"), { recursive: true });
  writeFileSync(join(state, "all-options/storage.tfstate"), "{}");
  const session = { config: configuration("all-options"), folders: { ...foldersOf("all-options"), state } };
  refuseStateOfNoAccount(session, FIRST, namesIn(FIRST));
});

test.run();
