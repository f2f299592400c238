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

test("creates a virtual environment with only the pinned packages, and does nothing the second time", async () => {
  assert.is(await installCloud({ dir, python }), join(dir, "venv-moto/bin/python"));
  const install = calls().find((call) => call.includes(" install "));
  assert.match(install ?? "", "--no-deps --require-hashes --requirement");
  assert.equal(readdirSync(dir), ["venv-moto"]);
  const before = calls().length;
  await installCloud({ dir, python });
  assert.is(calls().length, before);
});

for (const [what, change] of [
  ["the pinned packages have", (text: string) => text.replace(/[0-9a-f]{64}/, "0")],
  ["the machine's Python has", (text: string) => text.replace('"copy"', '"/usr/bin/python3.9"')],
] as const) {
  test(`reinstalls when ${what} changed`, async () => {
    await installCloud({ dir, python });
    const marker = join(dir, "venv-moto/.complete");
    writeFileSync(marker, change(readFileSync(marker, "utf8")));
    const before = calls().length;
    await installCloud({ dir, python });
    assert.ok(calls().length > before);
  });
}

/** Installs in a process of its own. */
function installing(stderr: "ignore" | "inherit") {
  const file = join(folder, "other.ts");
  writeFileSync(
    file,
    `import { installCloud } from "${ROOT}/packages/local-aws/cloud/install.ts";
     await installCloud({ dir: "${dir}", python: "${python}" });`,
  );
  return spawn(process.execPath, [file], { stdio: ["ignore", "ignore", stderr] });
}

test("reinstalls after an interruption, and cleans up", async () => {
  say("pip-hangs");
  const child = installing("ignore");
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
  const child = installing("inherit");
  const other = new Promise((resolve) => child.once("exit", resolve));
  await installCloud({ dir, python });
  assert.is(await other, 0);
  assert.equal(readdirSync(dir), ["venv-moto"]);
});

for (const [what, name, text, messages] of [
  ["Python is missing", "", "", ["Python 3.10 or newer", "no python-of-nowhere on the PATH"]],
  ["Python is too old", "version", "3 8\n", ["is Python 3.8"]],
  ["Python has no venv", "no-venv", "", ["apt-get install python3-venv"]],
] as const) {
  test(`says what to install if ${what}`, async () => {
    if (name) say(name, text);
    const error = await failure({ python: name ? python : "python-of-nowhere" });
    assert.instance(error, MissingTool);
    for (const message of messages) assert.match(error.message, message);
  });
}

test("shows pip's message and what to check if packages cannot be installed", async () => {
  say("pip-fails");
  const error = await failure({ python });
  assert.instance(error, LocalError);
  assert.match(error.message, "No matching distribution found for moto");
  assert.match(error.message, "check the network");
  assert.equal(readdirSync(dir), []);
});

test.run();
