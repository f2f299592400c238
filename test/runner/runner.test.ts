import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { suite } from "../suite.ts";
import { noTotals, runFiles } from "./runner.ts";
import { type SharedFixture, SharedFixtures } from "./shared-fixture.ts";

const test = suite("test runner: files that share a server");

const root = mkdtempSync(join(tmpdir(), "runner-"));
test.after(() => rmSync(root, { recursive: true }));

test("removes what a file has left when the file has ended, failed or not", async () => {
  mkdirSync(join(root, "test/integration"), { recursive: true });
  const files = ["passes", "fails"].map((name) => `test/integration/${name}.test.ts`);
  for (const file of files) {
    const program = `import { appendFileSync } from "node:fs"; appendFileSync("words", process.env.TEST_FILE + "\\n");`;
    writeFileSync(join(root, file), file.includes("fails") ? `${program} throw new Error("as told");` : program);
  }
  const cleaned: string[] = [];
  const wordsOf = () => readFileSync(join(root, "words"), "utf8").trim().split("\n");
  const server: SharedFixture = {
    name: "server",
    needed: () => true,
    start: async () => ({
      env: {},
      async clean(word) {
        assert.ok(wordsOf().includes(word), "before its file has begun");
        cleaned.push(word);
      },
      async stop() {},
    }),
  };
  const fixtures = new SharedFixtures((fixture) => fixture.start({ folder: root, say() {} }));
  const run = { root, files, list: [server], fixtures, ci: true, totals: noTotals(), say() {} };
  await runFiles({ ...run, signal: new AbortController().signal });
  assert.equal(cleaned.toSorted(), wordsOf().toSorted());
  assert.is(new Set(cleaned).size, files.length);
});

test.run();
