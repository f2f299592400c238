import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import * as assert from "uvu/assert";
import { OPENAPI_FILE, RECOMMENDATION_OPENAPI_FILE } from "../../build/reference.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { EXPECTED, type Services, startServices } from "./services.ts";
import { NODE_MODULES, resultOf, runTool } from "./tools.ts";

const test = suite("generated clients");

const DOCUMENTS = { gateway: OPENAPI_FILE.pathname, recommendation: RECOMMENDATION_OPENAPI_FILE.pathname } as const;
const NAMES = ["gateway", "recommendation"] as const;

/** A folder with the programs, beside which the generated code is written. */
const folder = scratchFolder(TEST_OUTPUT, "generated-clients");
cpSync(join(import.meta.dirname, "programs"), folder, { recursive: true });
symlinkSync(NODE_MODULES, join(folder, "node_modules"));

let services: Services;
test.before(async () => {
  services = await startServices();
});
test.after(() => services.stop());

/** Returns whether a generator had to invent a name for a schema without one, such as `Body1` or `hit_type_0`. */
const isMadeUp = (name = "") => /\d|body|inline/i.test(name);

/** Compiles a program with the strictest common options, and runs it against both services. */
async function compileAndRun(program: string): Promise<unknown> {
  const options = ["--strict", "--noEmit", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"];
  const strict = ["--noUncheckedIndexedAccess", "--lib", "es2022,dom,dom.iterable", "--types", "node"];
  const roots = ["--typeRoots", join(import.meta.dirname, "../../node_modules/@types")];
  await runTool("tsc", [...options, ...strict, ...roots, program], { cwd: folder });
  const outfile = join(folder, program.replace(".ts", ".mjs"));
  await build({
    entryPoints: [join(folder, program)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
  });
  return JSON.parse(await resultOf(process.execPath, [outfile], { env: services.env }));
}

test("openapi-typescript and openapi-fetch", async () => {
  mkdirSync(join(folder, "types"));
  for (const name of NAMES) {
    const said = await runTool("openapi-typescript", [DOCUMENTS[name], "-o", join(folder, "types", `${name}.d.ts`)]);
    assert.not.match(said, /warn|⚠|error/i);
  }
  assert.equal(await compileAndRun("openapi-fetch.ts"), EXPECTED);
});

test("@hey-api/openapi-ts", async () => {
  for (const name of NAMES) {
    const said = await runTool("openapi-ts", ["-i", DOCUMENTS[name], "-o", join(folder, name)]);
    assert.not.match(said, /warn|⚠|error/i);
    const types = readFileSync(join(folder, name, "types.gen.ts"), "utf8").split(/^export type /m);
    assert.equal(types.map((type) => type.split(" ")[0]).filter(isMadeUp), []);
    // The cluster defines what the raw backend accepts and returns.
    const known = types.filter((type) => !/^(?:get|head|post|put|patch|delete)RawBackend/i.test(type));
    assert.equal(
      known.filter((type) => /^ *\w+\??: (?:Array<)?unknown/m.test(type)),
      [],
    );
  }
  assert.equal(await compileAndRun("hey-api.ts"), EXPECTED);
});

test("openapi-python-client", async () => {
  const packages = join(folder, "python");
  for (const name of NAMES) {
    const output = ["--meta", "none", "--output-path", join(packages, name)];
    mkdirSync(packages, { recursive: true });
    await runTool("openapi-python-client", ["generate", "--fail-on-warning", "--path", DOCUMENTS[name], ...output]);
    assert.equal(readdirSync(join(packages, name, "models")).filter(isMadeUp), []);
  }
  const program = join(folder, "openapi_python_client.py");
  const said = await runTool("python", [program], { env: { ...services.env, PYTHONPATH: packages } });
  assert.equal(JSON.parse(said), EXPECTED);
});

test.run();
