import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as assert from "uvu/assert";
import { buildFunctions } from "../../build/functions.ts";
import { suite } from "../suite.ts";

const test = suite("cached bundles");

const root = mkdtempSync(join(tmpdir(), "bundle-cache-test-"));
test.after(() => rmSync(root, { recursive: true }));

/** Writes a file with an old modification time. */
function write(path: string, content: string): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  utimesSync(file, 1_700_000_000, 1_700_000_000);
}

write("package.json", '{"type":"module"}');
write("node_modules/.package-lock.json", '{"version":"1.0.0"}');
write("node_modules/pad/package.json", '{"name":"pad","type":"module","main":"index.js"}');
write("node_modules/pad/index.js", 'export const pad = "one";');
write("lib/value.ts", "export const value: number = 1;");
write(
  "functions/tiny/index.ts",
  'import { pad } from "pad";\nimport { value } from "../../lib/value.ts";\nexport const handler = () => [pad, value];',
);

const STORED = join(root, "dist/bundles/tiny.bin");

/** Builds and returns the bundle's code and whether it was built again. */
async function build(): Promise<{ code: string; isNew: boolean }> {
  const old = new Date(1_600_000_000_000);
  try {
    utimesSync(STORED, old, old);
  } catch {
    // Nothing is stored yet.
  }
  const { tiny } = await buildFunctions({ root, outdir: join(root, "dist/functions") });
  const code = readFileSync(join(tiny?.dir ?? "", "index.mjs"), "utf8");
  return { code, isNew: statSync(STORED).mtimeMs !== old.getTime() };
}

test("are used while none of their inputs has changed", async () => {
  const first = await build();
  assert.is(first.isNew, true);
  assert.equal(await build(), { code: first.code, isNew: false });
});

test("are rebuilt after a source changed to text of the same length and time", async () => {
  write("lib/value.ts", "export const value: number = 2;");
  const { code, isNew } = await build();
  assert.is(isNew, true);
  assert.match(code, /\b2\b/);
});

test("are rebuilt after other packages were installed", async () => {
  write("node_modules/pad/index.js", 'export const pad = "two";');
  write("node_modules/.package-lock.json", '{"version":"1.0.1"}');
  const { code, isNew } = await build();
  assert.is(isNew, true);
  assert.match(code, "two");
});

test("are rebuilt after a file of a package was edited", async () => {
  write("node_modules/pad/index.js", 'export const pad = "three";');
  assert.match((await build()).code, "three");
});

test("are rebuilt when the cached file is damaged", async () => {
  writeFileSync(STORED, "half a fi");
  const { code, isNew } = await build();
  assert.is(isNew, true);
  assert.match(code, "three");
});

test("are not stored while a source is still being written", async () => {
  write("lib/value.ts", "export const value: number = 3;");
  const later = new Date(Date.now() + 60_000);
  utimesSync(join(root, "lib/value.ts"), later, later);
  const { code, isNew } = await build();
  assert.match(code, /\b3\b/);
  assert.is(isNew, false, "it is stored");
});

test.run();
