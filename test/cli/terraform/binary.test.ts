import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { findTerraform } from "../../../cli/terraform/binary.ts";
import { scratchFolder } from "../../../packages/processes/scratch.ts";
import { TEST_OUTPUT } from "../../fixtures/env.ts";
import { suite } from "../../suite.ts";

const test = suite("finding Terraform");
const folder = scratchFolder(TEST_OUTPUT, "terraform-binary");
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a program that prints this text as its version, and returns its path. */
function program(place: string, name: string, text: string): string {
  const path = join(folder, place, name);
  mkdirSync(join(folder, place), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho '${text}'\n`);
  chmodSync(path, 0o755);
  return path;
}

const terraform = program("both", "terraform", "Terraform v1.11.4\non linux_amd64");
program("both", "tofu", "OpenTofu v1.10.0\non linux_amd64");
const tofu = program("tofu-alone", "tofu", "OpenTofu v1.10.6\non linux_amd64");
const old = program("old", "terraform", "Terraform v1.9.8\non linux_amd64");
const strange = program("strange", "terraform", "hello");

const message = async (env: Record<string, string>) => {
  try {
    await findTerraform(env);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("it was found");
};

test("prefers terraform on the PATH to tofu", async () => {
  assert.equal(await findTerraform({ PATH: `/nowhere:${join(folder, "both")}` }), {
    path: terraform,
    product: "Terraform",
    version: "1.11.4",
  });
});

test("uses tofu if there is no terraform", async () => {
  const found = await findTerraform({ PATH: join(folder, "tofu-alone") });
  assert.equal(found, { path: tofu, product: "OpenTofu", version: "1.10.6" });
});

test("prefers TERRAFORM_BINARY to the PATH, as a path or a name", async () => {
  const PATH = join(folder, "both");
  assert.is((await findTerraform({ PATH, TERRAFORM_BINARY: tofu })).path, tofu);
  assert.is((await findTerraform({ PATH, TERRAFORM_BINARY: "tofu" })).path, join(PATH, "tofu"));
});

const NEITHER =
  /^Terraform is missing: neither terraform nor tofu is on the PATH\. Install Terraform 1\.10 or newer \(https:\/\/developer\.hashicorp\.com\/terraform\/install\), or OpenTofu/;
for (const [what, env, expected] of [
  ["what to install and where to get it if neither is found", { PATH: "/nowhere" }, NEITHER],
  ["a path of nothing", { TERRAFORM_BINARY: "/no/such" }, "TERRAFORM_BINARY is /no/such, which is not a program"],
  ["a folder", { TERRAFORM_BINARY: folder }, `TERRAFORM_BINARY is ${folder}, which is not a program`],
  [
    "a program that is too old, with its version",
    { TERRAFORM_BINARY: old },
    `${old} is Terraform 1.9.8, but 1.10 or newer is required: install Terraform 1.10 or newer`,
  ],
  [
    "a program that does not print its version, with its output",
    { TERRAFORM_BINARY: strange },
    `${strange} does not report its version (it prints "hello\\n")`,
  ],
] as const) {
  test(`names ${what}`, async () => assert.match(await message(env), expected));
}

test.run();
