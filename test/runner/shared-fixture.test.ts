import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as assert from "uvu/assert";
import { MissingTool } from "../../packages/processes/error.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { noTotals, runFiles } from "./runner.ts";
import { type SharedFixture, SharedFixtures, type StartedFixture } from "./shared-fixture.ts";

const test = suite("shared fixtures");

const root = scratchFolder(TEST_OUTPUT, "fixtures");
test.after(() => rmSync(root, { recursive: true, force: true }));

const suiteUrl = pathToFileURL(join(ROOT, "test/suite.ts")).href;
const sample = (name: string, body: string) => {
  mkdirSync(join(root, "test"), { recursive: true });
  const file = `test/${name}.test.ts`;
  writeFileSync(
    join(root, file),
    `import { suite } from ${JSON.stringify(suiteUrl)};\nconst test = suite("x");\ntest("t", () => {${body}});\ntest.run();\n`,
  );
  return file;
};

const WITH = sample("with-one", 'if (process.env.SERVER !== "here") throw new Error("no server");');
const WITH_TOO = sample("with-two", 'if (process.env.SERVER !== "here") throw new Error("no server");');
const WITHOUT = sample("plain", 'if (process.env.SERVER !== undefined) throw new Error("not asked for");');

const server: SharedFixture = {
  name: "Server",
  needed: (file) => file.includes("with-"),
  start: () => Promise.reject(new Error("replaced below")),
};

async function run(files: string[], start: () => Promise<Partial<StartedFixture>>, { ci = false } = {}) {
  const events: string[] = [];
  const fixtures = new SharedFixtures(async () => {
    events.push("start");
    const started = await start();
    return { env: { SERVER: "here" }, stop: async () => void events.push("stop"), ...started };
  });
  const totals = noTotals();
  const said: string[] = [];
  await runFiles({
    root,
    files,
    list: [server],
    fixtures,
    ci,
    totals,
    signal: new AbortController().signal,
    say: (line) => said.push(line),
  });
  const problems = await fixtures.stop();
  const { passed, failed, notTested } = totals;
  return { events, totals: { passed, failed, notTested }, said: said.join("\n"), problems };
}

test("start once for all files that need them, and are stopped", async () => {
  const { events, totals } = await run([WITH, WITH_TOO, WITHOUT], async () => ({}));
  assert.equal(totals, { passed: 3, failed: 0, notTested: [] });
  assert.equal(events, ["start", "stop"]);
});

test("do not start when no file needs them", async () => {
  const { events, totals } = await run([WITHOUT], async () => ({}));
  assert.is(totals.passed, 1);
  assert.equal(events, []);
});

const noJava = () => Promise.reject(new MissingTool("no Java was found"));

test("leave files untested on a user's machine if a tool is missing, and name them", async () => {
  const { totals } = await run([WITH, WITHOUT], noJava);
  assert.equal(totals, { passed: 1, failed: 0, notTested: [`${WITH}: Server: no Java was found`] });
});

test("fail every file that needs a missing tool in continuous integration", async () => {
  const { totals, said } = await run([WITH, WITH_TOO, WITHOUT], noJava, { ci: true });
  assert.equal(totals, { passed: 1, failed: 2, notTested: [] });
  assert.match(said, `✗ ${WITH}  not run: Server: no Java was found`);
});

test("fail the files that need them everywhere if they cannot start for another reason", async () => {
  const { totals, said } = await run([WITH, WITHOUT], () => Promise.reject(new Error("port 1 is taken")));
  assert.equal(totals, { passed: 1, failed: 1, notTested: [] });
  assert.match(said, "port 1 is taken");
});

test("leave parts that a machine cannot run untested locally, and fail them in continuous integration", async () => {
  const partly = async () => ({ unavailable: ["3.6.0 needs a JDK 21"] });
  assert.equal((await run([WITH], partly)).totals, { passed: 1, failed: 0, notTested: ["3.6.0 needs a JDK 21"] });
  const inCi = await run([WITH], partly, { ci: true });
  assert.equal(inCi.totals, { passed: 1, failed: 1, notTested: [] });
  assert.match(inCi.said, "3.6.0 needs a JDK 21");
});

test("fail the run if a server dies during it, with the reason", async () => {
  const { totals, said } = await run([WITH], async () => ({ died: Promise.resolve(new Error("out of memory")) }));
  assert.is(totals.failed, 1);
  assert.match(said, "✗ Server: out of memory");
});

test("are reported by name if they do not stop", async () => {
  const { problems } = await run([WITH], async () => ({ stop: () => Promise.reject(new Error("stuck")) }));
  assert.equal(problems, ["Server did not stop: stuck"]);
});

test.run();
