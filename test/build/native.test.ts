import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import * as assert from "uvu/assert";
import { buildFunctions } from "../../build/functions.ts";
import { lambdaBinding, withNativeCode } from "../../build/native.ts";
import { suite } from "../suite.ts";

const test = suite("native code of etl");

const folder = mkdtempSync(join(tmpdir(), "native-"));
test.after(() => rmSync(folder, { recursive: true }));

const FOLDER = "node_modules/@duckdb/node-bindings-linux-arm64";

/** The field e_machine of an ELF file. Source: elf(5); 183 is AArch64. */
const machineOf = (file: Uint8Array | undefined) => file && Buffer.from(file).readUInt16LE(18);

test("is in the archive, built for Lambda's processor, and within Lambda's limits", async () => {
  const build = async (name: string) => {
    const files = await withNativeCode({ etl: { "config.json": "{}" } }, ["etl", "training"]);
    const { etl } = await buildFunctions({ outdir: join(folder, name), functions: ["etl"], files });
    return etl;
  };
  const built = await build("one");
  const zipped = readFileSync(built?.zip ?? "");
  const files = unzipSync(zipped);
  assert.equal(
    [`${FOLDER}/duckdb.node`, `${FOLDER}/libduckdb.so`].map((name) => machineOf(files[name])),
    [183, 183],
  );
  assert.ok(files["config.json"] && files["index.mjs"]);
  // Source: Lambda Developer Guide, quotas: 50 MB zipped for direct upload, 250 MB unzipped.
  assert.ok(zipped.length < 50_000_000, `${zipped.length} bytes`);
  const unpacked = Object.values(files).reduce((sum, { length }) => sum + length, 0);
  assert.ok(unpacked < 250_000_000, `${unpacked} bytes`);
  assert.equal(statSync(join(built?.dir ?? "", FOLDER, "libduckdb.so")).size, files[`${FOLDER}/libduckdb.so`]?.length);
  assert.is((await build("two"))?.sha256, built?.sha256);
});

test("goes to no other function", async () => {
  assert.equal(await withNativeCode({ training: { a: "b" } }, ["training"]), { training: { a: "b" } });
});

/** An npm that packs a file which is no package. */
function otherNpm(): string {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const script = 'echo other > "$5/other.tgz"\necho \'[{"filename": "other.tgz"}]\'';
  writeFileSync(join(bin, "npm"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return bin;
}

test("is rejected, and leaves nothing behind, if it is not the package of package-lock.json", async () => {
  const root = join(folder, "other");
  mkdirSync(root);
  const entry = { version: "1.0.0", integrity: "sha512-locked" };
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: { [FOLDER]: entry } }));
  const { PATH } = process.env;
  process.env.PATH = `${otherNpm()}:${PATH}`;
  const error = await lambdaBinding(root).catch((thrown: unknown) => thrown);
  process.env.PATH = PATH;
  assert.match(String(error), "is not the package of package-lock.json");
  assert.equal(readdirSync(join(root, ".local/native")), []);
});

test.run();
