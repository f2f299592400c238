import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { strFromU8, unzipSync } from "fflate";
import * as assert from "uvu/assert";
import { buildFunctions, functionNames } from "../../build/functions.ts";
import { suite } from "../suite.ts";

const test = suite("building functions");

const root = mkdtempSync(join(tmpdir(), "build-test-"));
const SOURCES = {
  "functions/tiny/index.ts": `
    import { shared } from "../../lib/shared.ts";
    export const handler = async (event: { lazy: boolean }) => (event.lazy ? (await import("./lazy.ts")).answer() : shared);`,
  "functions/tiny/lazy.ts": `
    import { shared } from "../../lib/shared.ts";
    import legacy from "../../lib/legacy.cjs";
    export const answer = () => [shared, legacy()];`,
  "lib/shared.ts": `export const shared: string = "shared";`,
  "lib/legacy.cjs": `const { sep } = require("node:path"); module.exports = () => "legacy" + sep;`,
  "functions/broken/index.ts": `import { nothing } from "./missing.ts";\nexport const handler = () => nothing;`,
  "functions/notes/README.md": "no entry, no function",
};
for (const [file, source] of Object.entries(SOURCES)) {
  mkdirSync(join(root, file, ".."), { recursive: true });
  writeFileSync(join(root, file), source);
}
test.after(() => rmSync(root, { recursive: true }));

const build = (outdir: string, files?: Record<string, string>) =>
  buildFunctions({ root, outdir: join(root, outdir), functions: ["tiny"], ...(files && { files: { tiny: files } }) });

test("builds the same archive for the same input in any time zone", async () => {
  const zone = process.env.TZ;
  process.env.TZ = "Pacific/Auckland";
  const first = (await build("one/functions")).tiny;
  process.env.TZ = "America/Anchorage";
  const second = (await build("two/functions")).tiny;
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
  assert.is(second?.sha256, first?.sha256);
  assert.equal(readFileSync(second?.zip ?? ""), readFileSync(first?.zip ?? ""));
});

test("builds the same archive wherever the sources are", async () => {
  const elsewhere = join(root, "else/where");
  for (const folder of ["functions", "lib"]) cpSync(join(root, folder), join(elsewhere, folder), { recursive: true });
  const moved = await buildFunctions({
    root: elsewhere,
    outdir: join(elsewhere, "dist/functions"),
    functions: ["tiny"],
  });
  assert.is(moved.tiny?.sha256, (await build("here/functions")).tiny?.sha256);
});

test("builds another archive when a file beside the bundle differs", async () => {
  const [first, second] = [
    await build("a/functions", { "config.json": "1" }),
    await build("b/functions", { "config.json": "2" }),
  ];
  assert.is.not(first.tiny?.sha256, second.tiny?.sha256);
});

test("puts only the entry, its chunks, licences, a package.json and the extra files into the archive, sorted", async () => {
  const built = (await build("zip/functions", { "config.json": "{}" })).tiny;
  const files = unzipSync(readFileSync(built?.zip ?? ""));
  const names = Object.keys(files);
  assert.equal(names, [...names].sort());
  assert.equal(
    names.map((name) => name.replace(/-[A-Z0-9]{8}\./, "-*.")),
    ["LICENSES.txt", "chunks/chunk-*.mjs", "chunks/lazy-*.mjs", "config.json", "index.mjs", "package.json"],
  );
  assert.is(strFromU8(files["package.json"] ?? new Uint8Array()), '{"type":"module"}\n');
});

test("writes the archive's files unpacked, and the source maps beside them", async () => {
  const built = (await build("maps/functions", { "config.json": "{}" })).tiny;
  const unpacked = readdirSync(built?.dir ?? "", { recursive: true }).map(String);
  assert.equal(
    unpacked.filter((name) => name.endsWith(".map")),
    [],
  );
  const maps = readdirSync(join(root, "maps/maps/tiny"), { recursive: true }).map(String);
  assert.ok(maps.includes("index.mjs.map"));
});

test("makes files readable for Lambda's user", async () => {
  const archive = readFileSync((await build("mode/functions")).tiny?.zip ?? "");
  const directory = archive.indexOf(Buffer.from("PK\u0001\u0002", "latin1"));
  assert.is((archive.readUInt32LE(directory + 38) >>> 16) & 0o777, 0o644);
});

test("loads a dynamic import only when it is used, with packages that call require", async () => {
  const built = (await build("run/functions")).tiny;
  const { handler } = await import(pathToFileURL(join(built?.dir ?? "", "index.mjs")).href);
  assert.not.match(readFileSync(join(built?.dir ?? "", "index.mjs"), "utf8"), /legacy/);
  assert.is(await handler({ lazy: false }), "shared");
  assert.equal(await handler({ lazy: true }), ["shared", "legacy/"]);
});

test("replaces the output of an earlier build", async () => {
  const first = (await build("again/functions", { "old.json": "1" })).tiny;
  await build("again/functions");
  assert.not(readdirSync(first?.dir ?? "").includes("old.json"));
});

test("reports file, line and reason when a source cannot be bundled", async () => {
  const error = await buildFunctions({ root, outdir: join(root, "x"), functions: ["broken"] }).catch(
    (thrown) => thrown,
  );
  assert.is(error.name, "BuildError");
  assert.match(error.message, /^functions\/broken\/index\.ts could not be bundled/);
  assert.match(error.message, /Could not resolve ".\/missing.ts"[\s\S]*functions\/broken\/index.ts:1:24/);
});

test("lists the existing functions when one does not exist", async () => {
  const error = await buildFunctions({ root, outdir: join(root, "x"), functions: ["tinny"] }).catch((thrown) => thrown);
  assert.is(error.message, 'there is no function "tinny" in functions/: choose one of broken, tiny');
});

test("refuses an extra file that would replace the bundle", async () => {
  const error = await build("clash/functions", { "index.mjs": "" }).catch((thrown) => thrown);
  assert.match(error.message, /extra file "index.mjs" would replace/);
});

test("treats every folder with an index.ts as a function", () => {
  assert.equal(functionNames(root), ["broken", "tiny"]);
});

test.run();
