import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalError, MissingTool } from "@relevance/processes/error.ts";
import { waitFor } from "@relevance/processes/wait.ts";
import * as assert from "uvu/assert";
import { ROOT, TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";
import { installCloud } from "../../cloud/install.ts";

const test = suite("local cloud: installation");
const folder = join(TEST_OUTPUT, "local-cloud-install");

/**
 * A program that stands in for Python during the installation and records its calls. Files beside the record set its
 * version, whether it has venv, and what pip does.
 */
const PYTHON = `#!/bin/sh
here="${folder}"
echo "$*" >> "$here/calls"
case "$*" in
  *version_info*) cat "$here/version" 2>/dev/null || echo "3 11" ;;
  *ensurepip*) test ! -e "$here/no-venv" ;;
  "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  *" install "*) if test -e "$here/pip-hangs"; then sleep 60; fi
    if test -e "$here/pip-fails"; then echo "No matching distribution found for moto"; exit 1; fi ;;
esac
`;
const python = join(folder, "python3");
const dir = join(folder, "to");
const say = (name: string, text = "") => writeFileSync(join(folder, name), text);
const calls = () => readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
const failure = async (options: { python: string }) => installCloud({ dir, ...options }).catch((error) => error);

test.before.each(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(python, PYTHON);
  chmodSync(python, 0o755);
});

test("creates a virtual environment with only the pinned packages", async () => {
  assert.is(await installCloud({ dir, python }), join(dir, "venv-moto/bin/python"));
  const install = calls().find((call) => call.includes(" install "));
  assert.match(install ?? "", "--no-deps --require-hashes --requirement");
  assert.equal(readdirSync(dir), ["venv-moto"]);
});

test("does nothing when already installed", async () => {
  await installCloud({ dir, python });
  const before = calls().length;
  await installCloud({ dir, python });
  assert.is(calls().length, before);
});

test("reinstalls when the pinned packages have changed", async () => {
  await installCloud({ dir, python });
  const marker = join(dir, "venv-moto/.complete");
  writeFileSync(marker, readFileSync(marker, "utf8").replace(/[0-9a-f]{64}/, "0"));
  const before = calls().length;
  await installCloud({ dir, python });
  assert.ok(calls().length > before);
});

test("reinstalls when the machine's Python has changed", async () => {
  await installCloud({ dir, python });
  const marker = join(dir, "venv-moto/.complete");
  writeFileSync(marker, readFileSync(marker, "utf8").replace('"copy"', '"/usr/bin/python3.9"'));
  const before = calls().length;
  await installCloud({ dir, python });
  assert.ok(calls().length > before);
});

test("reinstalls after an interruption, and cleans up", async () => {
  say("pip-hangs");
  const file = join(folder, "interrupted.ts");
  writeFileSync(
    file,
    `import { installCloud } from "${ROOT}/packages/local-aws/cloud/install.ts";
     await installCloud({ dir: "${dir}", python: "${python}" });`,
  );
  const child = spawn(process.execPath, [file], { stdio: "ignore" });
  await waitFor(async () => existsSync(join(folder, "calls")) && calls().some((call) => call.includes(" install ")), {
    what: "pip to run",
    timeoutMs: 20_000,
  });
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  assert.not.ok(existsSync(join(dir, "venv-moto")));

  rmSync(join(folder, "pip-hangs"));
  await installCloud({ dir, python });
  assert.equal(readdirSync(dir), ["venv-moto"]);
});

test("succeeds when run twice at the same time", async () => {
  const file = join(folder, "other.ts");
  writeFileSync(
    file,
    `import { installCloud } from "${ROOT}/packages/local-aws/cloud/install.ts";
     await installCloud({ dir: "${dir}", python: "${python}" });`,
  );
  const child = spawn(process.execPath, [file], { stdio: ["ignore", "ignore", "inherit"] });
  const other = new Promise((resolve) => child.once("exit", resolve));
  await installCloud({ dir, python });
  assert.is(await other, 0);
  assert.equal(readdirSync(dir), ["venv-moto"]);
});

test("says what to install if Python is missing", async () => {
  const error = await failure({ python: "python-of-nowhere" });
  assert.instance(error, MissingTool);
  assert.match(error.message, "Python 3.10 or newer");
  assert.match(error.message, "no python-of-nowhere on the PATH");
});

test("names a Python that is too old, with its version", async () => {
  say("version", "3 8\n");
  const error = await failure({ python });
  assert.instance(error, MissingTool);
  assert.match(error.message, "is Python 3.8");
});

test("names the package to install if Python has no venv", async () => {
  say("no-venv");
  const error = await failure({ python });
  assert.instance(error, MissingTool);
  assert.match(error.message, "apt-get install python3-venv");
});

test("shows pip's message and what to check if packages cannot be installed", async () => {
  say("pip-fails");
  const error = await failure({ python });
  assert.instance(error, LocalError);
  assert.match(error.message, "No matching distribution found for moto");
  assert.match(error.message, "check the network");
  assert.equal(readdirSync(dir), []);
});

test.run();
