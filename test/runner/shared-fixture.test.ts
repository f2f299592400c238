import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  const cleaned: string[] = [];
  const fixtures = new SharedFixtures(async () => {
    events.push("start");
    const started = await start();
    const clean = async (word: string) => void cleaned.push(word);
    return { env: { SERVER: "here" }, clean, stop: async () => void events.push("stop"), ...started };
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
  return { events, cleaned, totals: { passed, failed, notTested }, said: said.join("\n"), problems };
}

test("start once for all files that need them, and are stopped", async () => {
  const { events, totals } = await run([WITH, WITH_TOO, WITHOUT], async () => ({}));
  assert.equal(totals, { passed: 3, failed: 0, notTested: [] });
  assert.equal(events, ["start", "stop"]);
  assert.equal((await run([WITHOUT], async () => ({}))).events, []);
});

const noJava = () => Promise.reject(new MissingTool("no Java was found"));
const taken = () => Promise.reject(new Error("port 1 is taken"));
const partly = async () => ({ unavailable: ["3.6.0 needs a JDK 21"] });

for (const [what, start, ci, totals, message] of [
  ["leave files untested if a tool is missing", noJava, false, [1, 0, [`${WITH}: Server: no Java was found`]], ""],
  ["fail files if a tool is missing", noJava, true, [1, 1, []], `✗ ${WITH}  not run: Server: no Java was found`],
  ["fail files if they cannot start for another reason", taken, false, [1, 1, []], "port 1 is taken"],
  ["leave parts untested that a machine cannot run", partly, false, [2, 0, ["3.6.0 needs a JDK 21"]], ""],
  ["fail parts that a machine cannot run", partly, true, [2, 1, []], "3.6.0 needs a JDK 21"],
] as const) {
  test(`${what}${ci ? " in continuous integration" : ""}`, async () => {
    const { totals: got, said } = await run([WITH, WITHOUT], start, { ci });
    assert.equal([got.passed, got.failed, got.notTested], totals);
    assert.ok(said.includes(message), said);
  });
}

test("remove what a file has left when the file has ended, failed or not", async () => {
  const words = join(root, "words");
  const program = `process.getBuiltinModule("node:fs").appendFileSync(${JSON.stringify(words)}, process.env.TEST_FILE + "\\n");`;
  const files = [sample("with-left", program), sample("with-left-too", `${program} throw new Error("as told");`)];
  const { cleaned, totals } = await run(files, async () => ({}));
  assert.equal([totals.passed, totals.failed], [1, 1]);
  assert.equal(cleaned.toSorted(), readFileSync(words, "utf8").trim().split("\n").toSorted());
  assert.is(new Set(cleaned).size, 2);
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
