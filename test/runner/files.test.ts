import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { batchOf, importsOf, LONGEST, layerOf, ONE_LIFE, selectFiles } from "./files.ts";

const test = suite("selection of test files");

const root = scratchFolder(TEST_OUTPUT, "files");
test.after(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, source = "") => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), source);
};

for (const path of [
  "packages/lab/test/metrics/a.test.ts",
  "packages/local/test/api/a.test.ts",
  "local/api/test.ts",
  "test/e2e/all.test.ts",
  "test/infrastructure/plan.test.ts",
  "test/infrastructure/recommendation-apply.test.ts",
  "test/integration/bulk.test.ts",
  "test/integration/training-cli.test.ts",
  "test/lib/http/b.test.ts",
  "test/lib/http/a.test.ts",
  "test/lib/naming/a.test.ts",
  "test/lib/naming/helper.ts",
]) {
  write(path);
}

const UNIT = [
  "packages/lab/test/metrics/a.test.ts",
  "packages/local/test/api/a.test.ts",
  "test/lib/http/a.test.ts",
  "test/lib/http/b.test.ts",
  "test/lib/naming/a.test.ts",
];
const INTEGRATION = ["test/integration/training-cli.test.ts", "test/integration/bulk.test.ts"];
const nothing = { words: [], unitOnly: false, all: false };

const TERRAFORM = "test/infrastructure/recommendation-apply.test.ts";
for (const [what, selection, files] of [
  ["all but one of Terraform, the longest of a layer first", {}, [TERRAFORM, ...INTEGRATION, ...UNIT]],
  [
    "every file with --all",
    { all: true },
    [TERRAFORM, "test/e2e/all.test.ts", "test/infrastructure/plan.test.ts", ...INTEGRATION, ...UNIT],
  ],
  [
    "those whose path contains any of the words",
    { words: ["lib/naming", "bulk"] },
    ["test/integration/bulk.test.ts", "test/lib/naming/a.test.ts"],
  ],
  ["those of a layer that is not usual", { words: ["infrastructure/plan"] }, ["test/infrastructure/plan.test.ts"]],
  ["none for another word", { words: ["nothing"] }, []],
  [
    "none that needs a server or a tool if only unit tests are wanted",
    { words: ["a.test", "bulk", "e2e"], unitOnly: true },
    UNIT.filter((file) => file.includes("a.test")),
  ],
] as const) {
  test(`selects ${what}`, () => {
    assert.equal(selectFiles(root, { ...nothing, ...selection }), files);
  });
}

test("refers only to existing files", () => {
  for (const file of [...LONGEST, ONE_LIFE]) assert.ok(existsSync(join(ROOT, file)), file);
});

test("derives a file's layer from its folder", () => {
  assert.is(layerOf("test/e2e/all.test.ts"), "system");
  assert.is(layerOf("test/infrastructure/plan.test.ts"), "system");
  assert.is(layerOf("test/integration/bulk.test.ts"), "integration");
  assert.is(layerOf("test/e2e.test.ts"), "unit");
  assert.is(layerOf("packages/local/test/e2e/all.test.ts"), "unit");
});

test("follows imports through other files, cycles included, and ignores packages and missing files", () => {
  write(
    "test/x.test.ts",
    'import { a } from "./x/a.ts";\nimport * as assert from "uvu/assert";\nimport "./none.ts";\n',
  );
  write("test/x/a.ts", 'export { b } from "../../lib/b.ts";\n');
  write("lib/b.ts", 'const c = await import("./c.ts");\n');
  write("lib/c.ts", 'import type { b } from "./b.ts";\n');
  assert.equal([...importsOf(root, "test/x.test.ts")].sort(), ["lib/b.ts", "lib/c.ts", "test/x/a.ts"]);
});

test("runs unit test files together that leave the process alone, and those of the console", () => {
  write("test/plain.test.ts", 'import "./helper.ts";\n');
  write("test/helper.ts", 'import "../lib/reads.ts";\n');
  write("lib/reads.ts", "export const path = process.env.PATH;\n");
  write("test/clock.test.ts", 'import "./clock.ts";\n');
  write("test/clock.ts", "export const now = performance.now();\n");
  write("packages/lab/test/console/console.ts", "export const env = process.env;\n");
  write("packages/lab/test/console/search.test.ts", 'import "./console.ts";\n');
  assert.is(batchOf(root, "test/plain.test.ts"), "plain");
  assert.is(batchOf(root, "test/clock.test.ts"), undefined);
  assert.is(batchOf(root, "packages/lab/test/console/search.test.ts"), "console");
  assert.is(batchOf(root, "test/integration/bulk.test.ts"), undefined);
});

test.run();
