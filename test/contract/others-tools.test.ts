// What others' tools make of both services: generators of clients, a fuzzer of OpenAPI documents, and the inspector of MCP.
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import * as assert from "uvu/assert";
import { OPENAPI_FILE, RECOMMENDATION_OPENAPI_FILE } from "../../build/reference.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { patient } from "../../packages/processes/wait.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { EXPECTED, startServices } from "./services.ts";
import { NODE_MODULES, resultOf, runTool } from "./tools.ts";

const test = suite("tools of others");

const DOCUMENTS = { gateway: OPENAPI_FILE.pathname, recommendation: RECOMMENDATION_OPENAPI_FILE.pathname } as const;
const NAMES = ["gateway", "recommendation"] as const;

/** A folder with the programs, beside which the generated code is written. */
const folder = scratchFolder(TEST_OUTPUT, "generated-clients");
cpSync(join(import.meta.dirname, "programs"), folder, { recursive: true });
symlinkSync(NODE_MODULES, join(folder, "node_modules"));

const services = await startServices();
test.after(() => services.stop());
const { GATEWAY_URL, RECOMMENDATION_URL, API_KEY, INDEX } = services.env;

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

const URLS = { gateway: GATEWAY_URL, recommendation: RECOMMENDATION_URL } as const;
for (const file of ["schemathesis.toml", "hooks.py"])
  cpSync(join(import.meta.dirname, "tools", file), join(folder, file));

for (const name of NAMES) {
  test(`schemathesis: the ${name} service does what its OpenAPI document says`, async () => {
    // The seed makes runs alike.
    const bounds = [
      "--seed",
      "20261122",
      "--max-examples",
      "20",
      "--phases",
      "examples,coverage,fuzzing",
      "--no-shrink",
    ];
    const target = ["--url", URLS[name], "-H", `x-api-key: ${API_KEY}`, "--request-timeout", String(patient(60))];
    const quiet = ["--no-color", "--warnings", "off", "--suppress-health-check", "all"];
    await runTool("schemathesis", ["run", DOCUMENTS[name], ...target, ...bounds, ...quiet, "--continue-on-failure"], {
      cwd: folder,
      env: services.env,
    });
  });
}

const INSPECTOR = join(NODE_MODULES, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const overHttp = (url: string) => [
  "--transport",
  "http",
  "--server-url",
  `${url}/mcp`,
  "--header",
  `x-api-key: ${API_KEY}`,
];
const joined = [
  ...["-e", `RELEVANCE_API_KEY=${API_KEY}`, "--", process.execPath, join(ROOT, "cli/main.ts"), "mcp"],
  ...["--url", GATEWAY_URL, "--recommendation-url", RECOMMENDATION_URL],
];
/** Not the template whose parameters are not declared. */
const SEARCHES = ["search_by_title", "search_shop_page"];
const FIND = ["search_by_title", "query=salt", `index=${INDEX}`];
const RECOMMEND = ["recommend_home", "user_id=U1"];

/** Runs the inspector, whose options precede a program's. */
const inspect = async (server: readonly string[], ...options: string[]) =>
  JSON.parse(await resultOf(process.execPath, [INSPECTOR, "--cli", ...options, ...server]));

for (const [name, server, tools, calls] of [
  ["the gateway", overHttp(GATEWAY_URL), SEARCHES, [FIND]],
  ["the recommendation service", overHttp(RECOMMENDATION_URL), ["recommend_home"], [RECOMMEND]],
  ["relevance mcp", joined, [...SEARCHES, "recommend_home"], [FIND, RECOMMEND]],
] as const) {
  test(`the inspector: ${name} lists tools that clients of all kinds can read, and answers calls`, async () => {
    // `--strict` fails for schemas that some client does not understand.
    const listed = await inspect(server, "--method", "tools/list", "--strict");
    assert.equal(
      listed.tools.map((tool: { name: string }) => tool.name),
      tools,
    );
    for (const [tool = "", ...given] of calls) {
      const answer = await inspect(server, "--method", "tools/call", "--tool-name", tool, "--tool-arg", ...given);
      assert.is(answer.isError ?? false, false);
      assert.match(answer.content[0].text, "The Salt Road");
    }
  });
}

test.run();
