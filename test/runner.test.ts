import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import * as assert from "uvu/assert";
import { scratchFolder } from "../packages/processes/scratch.ts";
import { waitFor } from "../packages/processes/wait.ts";
import { ROOT, TEST_OUTPUT } from "./fixtures/env.ts";
import { suite } from "./suite.ts";

const test = suite("npm test");

let root = "";
test.before.each(() => {
  root = scratchFolder(TEST_OUTPUT, "runner");
});
test.after(() => rmSync(root, { recursive: true, force: true }));

const SUITE = `import { suite } from ${JSON.stringify(pathToFileURL(join(ROOT, "test/suite.ts")).href)};
const test = suite("sample");
`;

/** Writes a test file of the sample project. */
function sample(name: string, source: string) {
  const path = join(root, "test", `${name}.test.ts`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, SUITE + source);
}

const PASSES = 'test("passes", () => {});\ntest.run();\n';
const FAILS = 'test("fails", () => { throw new Error("the reason"); });\ntest.run();\n';

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, [join(ROOT, "test/run.ts"), "--root", root, ...args], {
    env: { ...process.env, CI: "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function finished(runner: ChildProcess) {
  let output = "";
  for (const stream of [runner.stdout, runner.stderr]) stream?.on("data", (chunk: Buffer) => (output += chunk));
  const [code] = (await once(runner, "close")) as [number | null];
  return { code, output, lastLine: output.split("\n").at(-2) };
}

const run = (args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) => finished(start(args, env));

test("says one line for a file that passes, all that others said, the failed tests and each file's seconds last", async () => {
  // A second of a program that the file waits for counts, too.
  sample(
    "a",
    `import { execFileSync } from "node:child_process";\nconsole.log("noise");\nconst spin = "const end = process.cpuUsage().user + 1e6; while (process.cpuUsage().user < end);";\nexecFileSync(process.execPath, ["-e", spin]);\nconst names = await Promise.resolve(["x", "y"]);\nfor (const name of names) test(name, () => {});\ntest.run();\n`,
  );
  sample("b", `console.log("a hint");\n${FAILS}`);
  // More than a pipe holds.
  sample("lib/c", `test("loud", () => { throw new Error("x".repeat(2_000_000)); });\ntest.run();\n`);
  const { code, output, lastLine } = await run();
  assert.is(code, 1);
  assert.is(lastLine, "2 passed, 2 failed");
  assert.match(output, /^✓ test\/a\.test\.ts {2}2 passed, /m);
  assert.not.match(output, "noise");
  assert.match(output, "a hint");
  assert.match(output, "the reason");
  assert.match(output, /^✗ test\/lib\/c\.test\.ts {2}0 passed, 1 failed, [\d.]+ s$/m);
  const end = output.slice(output.lastIndexOf("FAILED:"));
  assert.match(end, /^ {2}✗ test\/b\.test\.ts {2}0 passed, 1 failed, .*\n {6}sample {2}"fails"\n/m);
  const [, seconds = ""] = end.split(/Seconds of each file .*, slowest first:\n/);
  assert.match(seconds, /^( +\d+\.\d +\d+\.\d {2}test\/[\w/]+\.test\.ts\n){3}/);
  const times = [...seconds.matchAll(/^ +(\d+\.\d)/gm)].map(([, time]) => Number(time));
  assert.equal(
    times,
    times.toSorted((a, b) => b - a),
  );
  const [, processor] = /^ +\S+ +(\S+) {2}test\/a/m.exec(seconds) ?? [];
  assert.ok(process.platform !== "linux" || Number(processor) >= 1, seconds);
});

test("a file that cannot run its tests is one failure, and the others still count", async () => {
  const BROKEN: readonly [name: string, source: string, problem: string][] = [
    ["syntax", "const = 1;\n", "ended with code 1 before its tests had run"],
    ["exits", 'test("exits", () => process.exit(0));\ntest.run();\n', "before its tests had run"],
    ["forgotten", 'test("never", () => {});\n', "1 suite(s) declared but never run()"],
    ["empty", "test.run();\n", "has no test"],
    [
      "before",
      'test.before(() => { throw new Error("no"); });\ntest("t", () => {});\ntest.run();\n',
      "before its tests",
    ],
  ];
  sample("a", PASSES);
  for (const [name, source] of BROKEN) sample(name, source);
  const { code, output, lastLine } = await run();
  assert.is(code, 1, output);
  assert.is(lastLine, "1 passed, 5 failed");
  const failed = output.slice(output.lastIndexOf("FAILED:"));
  for (const [name, , problem] of BROKEN) {
    assert.match(failed, `✗ test/${name}.test.ts  0 passed, 1 failed`);
    assert.ok(output.includes(problem), problem);
  }
});

test("a skipped test fails in continuous integration", async () => {
  sample("a", 'test.skip("later", () => {});\ntest("now", () => {});\ntest.run();\n');
  assert.is((await run([], { CI: "true" })).lastLine, "1 passed, 1 failed");
});

test("no test at all is a failure, and so is a word that no path contains", async () => {
  const { code, output, lastLine } = await run();
  assert.equal([code, lastLine], [1, "0 passed, 0 failed"]);
  assert.match(output, "no test file");
  sample("a", PASSES);
  const misspelt = await run(["lib/htpp"]);
  assert.is(misspelt.code, 1);
  assert.match(misspelt.output, "no test file's path contains lib/htpp");
});

test("words and --unit choose files", async () => {
  sample("lib/a", PASSES);
  sample("lib/b", FAILS);
  sample("integration/a", FAILS);
  assert.is((await run(["lib/a"])).lastLine, "1 passed, 0 failed");
  assert.is((await run(["--unit", "/a.test"])).lastLine, "1 passed, 0 failed");
});

test("a file over the time limit is ended and fails", async () => {
  sample("a", 'test("hangs", () => new Promise(() => setInterval(() => {}, 1000)));\ntest.run();\n');
  const { code, output, lastLine } = await run(["--time-limit", "0.5"]);
  assert.is(code, 1);
  assert.is(lastLine, "0 passed, 1 failed");
  assert.match(output, "ran longer than 0.5 s and was ended");
});

test("a misspelt option is an error with the usage", async () => {
  const { code, output } = await run(["--untit"]);
  assert.is(code, 2);
  assert.match(output, "--untit");
  assert.match(output, "usage: npm test");
});

test("Ctrl-C ends the running files and still counts what has run", async () => {
  const pidFile = join(root, "pid");
  sample("a", PASSES);
  sample(
    "integration/hangs",
    `import { writeFileSync } from "node:fs";
test("hangs", () => new Promise(() => { setInterval(() => {}, 1000); writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); }));
test.run();
`,
  );
  const runner = start([]);
  const end = finished(runner);
  let said = "";
  runner.stdout?.on("data", (chunk: Buffer) => (said += chunk));
  const both = async () => existsSync(pidFile) && said.includes("✓ test/a.test.ts");
  await waitFor(both, { what: "one file that has passed and one that hangs", timeoutMs: 60_000 });

  runner.kill("SIGINT");

  const { code, lastLine } = await end;
  assert.is(code, 130);
  assert.is(lastLine, "1 passed, 0 failed");
  const pid = Number(readFileSync(pidFile, "utf8"));
  const isGone = async () => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  };
  await waitFor(isGone, { what: `the end of ${pid}`, timeoutMs: 30_000 });
});

test.run();
