import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../local/process/scratch.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { importsOf, layerOf, selectFiles } from "./files.ts";

const test = suite("selection of test files");

const root = scratchFolder(TEST_OUTPUT, "files");
test.after(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, source = "") => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), source);
};

for (const path of [
  "test/e2e/all.test.ts",
  "test/infrastructure/plan.test.ts",
  "test/integration/bulk.test.ts",
  "test/lib/http/b.test.ts",
  "test/lib/http/a.test.ts",
  "test/lib/naming/a.test.ts",
  "test/lib/naming/helper.ts",
]) {
  write(path);
}

test("takes every test file, layer by layer", () => {
  assert.equal(selectFiles(root, { words: [], unitOnly: false }), [
    "test/lib/http/a.test.ts",
    "test/lib/http/b.test.ts",
    "test/lib/naming/a.test.ts",
    "test/integration/bulk.test.ts",
    "test/e2e/all.test.ts",
    "test/infrastructure/plan.test.ts",
  ]);
});

test("takes files whose path contains any of the words", () => {
  assert.equal(selectFiles(root, { words: ["lib/naming", "bulk"], unitOnly: false }), [
    "test/lib/naming/a.test.ts",
    "test/integration/bulk.test.ts",
  ]);
  assert.equal(selectFiles(root, { words: ["nothing"], unitOnly: false }), []);
});

test("leaves out all that needs a server or a tool when asked for unit tests", () => {
  assert.equal(selectFiles(root, { words: ["a.test", "bulk", "e2e"], unitOnly: true }), [
    "test/lib/http/a.test.ts",
    "test/lib/naming/a.test.ts",
  ]);
});

test("end to end and infrastructure tests have the machine to themselves", () => {
  assert.is(layerOf("test/e2e/all.test.ts"), "terraform");
  assert.is(layerOf("test/infrastructure/plan.test.ts"), "terraform");
  assert.is(layerOf("test/integration/bulk.test.ts"), "integration");
  assert.is(layerOf("test/e2e.test.ts"), "unit");
});

test("follows imports through other files, in circles too, and passes over packages and missing files", () => {
  write(
    "test/x.test.ts",
    'import { a } from "./x/a.ts";\nimport * as assert from "uvu/assert";\nimport "./none.ts";\n',
  );
  write("test/x/a.ts", 'export { b } from "../../lib/b.ts";\n');
  write("lib/b.ts", 'const c = await import("./c.ts");\n');
  write("lib/c.ts", 'import type { b } from "./b.ts";\n');
  assert.equal([...importsOf(root, "test/x.test.ts")].sort(), ["lib/b.ts", "lib/c.ts", "test/x/a.ts"]);
});

test.run();
