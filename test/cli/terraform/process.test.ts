import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as assert from "uvu/assert";
import { Interrupted, initOptions, runTerraform, terraformEnvironment } from "../../../cli/terraform/process.ts";
import { scratchFolder } from "../../../packages/processes/scratch.ts";
import { TEST_OUTPUT } from "../../fixtures/env.ts";
import { suite } from "../../suite.ts";

const test = suite("running Terraform");
const folder = scratchFolder(TEST_OUTPUT, "terraform-process");
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a Node.js program that stands in for Terraform. */
function program(source: string) {
  const path = join(folder, "program.mjs");
  writeFileSync(path, `#!${process.execPath}\n${source}`);
  chmodSync(path, 0o755);
  return { path, product: "Terraform" as const, version: "1.11.4" };
}

const options = { cwd: folder, env: { A: "b" }, onInterrupt: () => {} };

test("returns the exit code and both outputs, and passes on each line as it arrives", async () => {
  const lines: string[] = [];
  const source =
    'console.log("one"); console.log(process.env.A, process.argv[2]); console.error("e"); process.exitCode = 2;';
  const ended = await runTerraform(program(source), ["plan"], { ...options, onLine: (line) => lines.push(line) });
  assert.equal(ended, { code: 2, stdout: "one\nb plan", stderr: "e\n" });
  assert.equal(lines, ["one", "b plan"]);
});

test("passes on an interruption once, waits for the end, and reports each interruption", async () => {
  // Counts the interruptions that reach it and ends a while after the first.
  const source = `
    let count = 0;
    process.on("SIGINT", () => {
      count += 1;
      if (count === 1) setTimeout(() => { console.log("count", count); process.exit(1); }, 500);
      console.log("interrupted");
    });
    console.log("up");
    setTimeout(() => process.exit(9), 20_000);`;
  const lines: string[] = [];
  const told: boolean[] = [];
  const running = runTerraform(program(source), [], {
    ...options,
    onInterrupt: (first) => told.push(first),
    onLine: (line, interrupted) => {
      lines.push(interrupted ? `${line} (after it)` : line);
      if (line === "up") process.emit("SIGINT");
      if (line !== "interrupted") return;
      process.emit("SIGINT");
      process.emit("SIGTERM");
    },
  });
  const error = await running.catch((thrown: unknown) => thrown);
  assert.instance(error, Interrupted);
  assert.match((error as Error).message, "run the command again to resume");
  assert.equal(lines, ["up", "interrupted (after it)", "count 1 (after it)"]);
  assert.equal(told, [true, false, false]);
});

test("leaves no listener behind", async () => {
  const before = process.listenerCount("SIGINT");
  await runTerraform(program(""), [], options);
  assert.is(process.listenerCount("SIGINT"), before);
});

test("names the signal that killed the program", async () => {
  const error = await runTerraform(program('process.kill(process.pid, "SIGKILL");'), [], options).catch(
    (thrown: unknown) => thrown,
  );
  assert.match((error as Error).message, "was stopped by SIGKILL");
});

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

test("keeps options that say how to reach and lock the state", () => {
  const given = {
    TF_CLI_ARGS_init: "-upgrade -backend-config=profile=state -lock-timeout=5m",
    TF_CLI_ARGS_plan: "-target=y -lock-timeout=5m -backend-config=profile=state",
  };
  const { TF_CLI_ARGS_init, TF_CLI_ARGS_plan } = terraformEnvironment(given);
  assert.equal(
    [TF_CLI_ARGS_init, TF_CLI_ARGS_plan],
    ["-backend-config=profile=state -lock-timeout=5m", "-lock-timeout=5m"],
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
