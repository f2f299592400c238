import { globSync, readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { suite } from "./suite.ts";

const test = suite("packages");

const LISTS = globSync(["packages/**/*.in", "test/**/*.in", "bench/**/*.in"]).sort();

/** Returns each package of a list as `name==version`, in the form in which pip compares names. */
const pinsIn = (text: string) =>
  [...text.matchAll(/^([\w.-]+)==([^\s;\\]+)/gm)].map(
    ([, name = "", version]) => `${name.toLowerCase().replaceAll(/[-_.]+/g, "-")}==${version}`,
  );

for (const list of LISTS) {
  const hashed = readFileSync(list.replace(/\.in$/, ".txt"), "utf8");

  test(`${list}: every package has its hashes, and no index is named`, () => {
    const packages = hashed.split(/\n(?=\S)/);
    for (const one of packages)
      assert.match(one, /^[\w.-]+==\S+ [^\n]*\\\n( {4}--hash=sha256:[0-9a-f]{64}( \\\n|\n?$))+$/);
    assert.not.match(hashed, "://");
    const locked = new Set(pinsIn(hashed));
    const missing = pinsIn(readFileSync(list, "utf8")).filter((pin) => !locked.has(pin));
    assert.equal(missing, [], "write the hashes again, as CONTRIBUTING.md says");
  });
}

test("pip installs nothing without hashes", () => {
  const sources = globSync(["packages/**/*.ts", "test/**/*.ts", "bench/**/*.ts", "build/**/*.ts", "cli/**/*.ts"]);
  const installing = sources.filter((file) =>
    /\bpip\b[^\n]*\n?[^\n]*"(?:install|download)"/.test(readFileSync(file, "utf8")),
  );
  assert.equal(installing.sort(), [
    "packages/local-aws/cloud/install.ts",
    "packages/local-models/neural/install.ts",
    "test/checkov/run.ts",
    "test/contract/tools.ts",
    "test/fixtures/python.ts",
  ]);
  for (const file of installing) assert.match(readFileSync(file, "utf8"), '"--require-hashes"');
  assert.is(LISTS.length, 10);
});

/** What proves that the product uses a package that its user asked for. */
interface Use {
  /** The file that imports more than types of it. */
  file: string;
  /** What that file does with it. */
  does: RegExp;
  /** Where package.json lists it. */
  among?: "devDependencies";
}

const ASKED_FOR: Readonly<Record<string, Use>> = {
  esbuild: { file: "build/bundle.ts", does: /await build\(\{\s+absWorkingDir/ },
  "@middy/core": { file: "lib/platform/http/middleware.ts", does: /return middy\(/ },
  "@middy/http-json-body-parser": {
    file: "lib/platform/http/body-handlers.ts",
    does: /await parser\.before\?\.\(\{ event \}/,
  },
  "@middy/http-error-handler": { file: "lib/platform/http/middleware.ts", does: /\.use\(httpErrorHandler\(/ },
  "@opensearch-project/opensearch": {
    file: "lib/search/opensearch/client.ts",
    does: /new Client\(.*await transport\.request\(/s,
  },
  "@aws-sdk/client-personalize-runtime": {
    file: "lib/personalize/runtime/campaigns.ts",
    does: /new sdk\.PersonalizeRuntimeClient\(/,
  },
  "@aws-sdk/client-sagemaker-runtime": {
    file: "lib/search/embeddings/model-client.ts",
    does: /new SageMakerRuntimeClient\(/,
  },
  cdktf: { file: "stacks/synthesize.ts", does: /app\.synth\(\)/ },
  "@cdktf/provider-aws": { file: "stacks/constructs/function.ts", does: /new LambdaFunction\(/ },
  yaml: { file: "lib/settings/reader.ts", does: /parseDocument\(/ },
  valibot: { file: "lib/platform/http/validate.ts", does: /v\.safeParse\(/ },
  uvu: { file: "test/suite.ts", does: /uvuSuite\(name\)/, among: "devDependencies" },
};

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, Record<string, string>>;

/** Returns the names by which files import a package: its own, and those that package.json gives it. */
const namesOf = (name: string) => [
  name,
  ...Object.entries(manifest.imports ?? {}).flatMap(([alias, target]) =>
    target === name || target.startsWith(`${name}/`) ? [alias.replace("/*", "")] : [],
  ),
];

/** Returns whether a file imports values of a package or of a file in it, at once or on first use. */
const importsValues = (source: string, name: string) =>
  namesOf(name).some((one) =>
    new RegExp(`^import (?!type )[^;]*? from "${one}(/[^"]*)?";|\\bimport\\("${one}"\\)`, "m").test(source),
  );

for (const [name, { file, does, among = "dependencies" }] of Object.entries(ASKED_FOR)) {
  test(`${name} does in ${file} what it was asked for`, () => {
    const source = readFileSync(file, "utf8");
    assert.ok(importsValues(source, name), "it is not imported, or only for its types");
    assert.match(source, does);
    assert.type(manifest[among]?.[name], "string", `${among} of package.json do not list it`);
  });
}

test("only package.json names the bindings of Terraform, so that others take one change there", () => {
  const sources = globSync("{build,cli,functions,lib,packages,stacks,test}/**/*.ts");
  const direct = sources.filter((file) => /from "@?cdkt(f|n)[/"]/.test(readFileSync(file, "utf8")));
  assert.equal(direct, []);
  const deep = Object.entries(manifest.imports ?? {}).filter(([alias]) => alias.endsWith("/*"));
  // The index of the bindings loads all of them: 2.3 s instead of 0.1 s.
  assert.ok(deep.every(([, target]) => target.includes("/lib/*")));
});

test("no other code calls the cluster: of lib and functions only the client's folder imports an HTTP client", () => {
  const sources = globSync(["lib/search/**/*.ts", "functions/**/*.ts"]);
  const calling = sources.filter((file) => /from "node:https?"|\bfetch\(/.test(readFileSync(file, "utf8")));
  assert.equal(calling.sort(), ["lib/search/opensearch/cluster-connection.ts", "lib/search/opensearch/connections.ts"]);
});

test.run();
