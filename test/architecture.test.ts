import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import * as assert from "uvu/assert";
import { cyclesOf, type Import, importsOf, pythonImports, typeScriptImports } from "./import-graph.ts";
import { suite } from "./suite.ts";

const test = suite("architecture");

/** What each of our folders may import from outside itself; docs/architecture.md has the same table. */
const FOLDERS: Record<string, readonly string[]> = {
  lib: [],
  functions: ["lib"],
  stacks: ["lib", "functions/*/env.ts", "functions/*/routes.ts", "functions/*/policy.ts"],
  build: ["lib", "functions/*/routes.ts", "functions/*/policy.ts"],
  cli: ["lib", "build", "packages/clients/typescript"],
  lab: ["lib", "packages/clients/typescript"],
  local: ["lib", "functions", "lab"],
  clients: [],
  examples: [],
  test: ["lib", "functions", "stacks", "build", "cli", "lab", "local", "clients", "bench"],
  bench: ["lib", "functions", "stacks", "build", "cli", "lab", "local", "test"],
};

/** The same for the groups of `lib`. */
const GROUPS: Record<string, readonly string[]> = {
  core: [],
  aws: ["core"],
  config: ["core", "personalize/filters", "personalize/limits.ts"],
  personalize: ["core", "aws", "config"],
  infrastructure: ["core", "config", "recommendation"],
  search: ["core", "aws", "config", "personalize"],
  recommendation: ["core", "aws", "config", "personalize"],
};

/** These are loaded only when needed, with `await import()`; a static import of them is refused, of types aside. */
const ON_DEMAND: Record<string, readonly string[]> = { cli: ["stacks", "lab", "local"], local: ["stacks"] };

const all = Object.keys(FOLDERS).flatMap(importsOf);
const isTest = (path: string) => /^(?:lab\/|local\/|clients\/\w+\/)?test\//.test(path);
/** Imports of the files in a folder; tests are in `test`, even if they lie in a package of its own. */
const within = (folder: string) =>
  all.filter(({ file }) => (folder === "test" ? isTest(file) : file.startsWith(`${folder}/`) && !isTest(file)));
const matches = (target: string, rule: string) => new RegExp(`^${rule.replaceAll("*", "[^/]+")}(/|$)`).test(target);

function wrongImports(found: readonly Import[], allowed: readonly string[], onDemand: readonly string[] = []) {
  return found.filter(({ target, dynamic }) => {
    const permitted = dynamic ? [...allowed, ...onDemand] : allowed;
    return !permitted.some((rule) => matches(target, rule));
  });
}

for (const [folder, rules] of Object.entries(FOLDERS)) {
  test(`${folder}/ imports only ${rules.join(", ") || "packages"}`, () => {
    assert.equal(wrongImports(within(folder), [folder, ...rules], ON_DEMAND[folder]), []);
  });
}

for (const [group, rules] of Object.entries(GROUPS)) {
  test(`of lib/, lib/${group}/ imports only ${rules.join(", ") || "itself"}`, () => {
    const allowed = [group, ...rules].map((rule) => `lib/${rule}`);
    assert.equal(wrongImports(within(`lib/${group}`), allowed), []);
  });
}

test("every group of lib has its rules", () => {
  assert.equal(
    globSync("lib/*").sort(),
    Object.keys(GROUPS)
      .map((group) => `lib/${group}`)
      .sort(),
  );
});

const architecture = readFileSync("docs/architecture.md", "utf8");

test("docs/architecture.md has the same tables", () => {
  const shared = {
    test: ["everything"],
    bench: ["everything"],
    lib: ["packages only"],
    clients: ["packages only"],
    examples: ["packages only"],
  };
  const written = new Map(
    [...architecture.matchAll(/^\| `(\w+)` \| ([^;|]+)/gm)].map(([, folder = "", cell = ""]) => [
      folder,
      cell.trim().replaceAll("`", "").split(", "),
    ]),
  );
  assert.equal(Object.fromEntries(written), { ...FOLDERS, ...GROUPS, ...shared, core: ["nothing of ours"] });
});

test("docs/architecture.md has every folder, and no other", () => {
  const groups = Object.keys(GROUPS).map((group) => `lib/${group}`);
  const subjects = ["{cli,lab,local,stacks}/*/", "lib/*/*/"].flatMap((pattern) => globSync(pattern));
  const leaves = groups.filter((group) => !subjects.some((path) => path.startsWith(`${group}/`)));
  const folders = [...leaves, "lib/settings", ...subjects.map((path) => path.replace(/\/$/, ""))];
  const written = [...architecture.matchAll(/^((?:cli|lab|lib|local|stacks)\/[\w/-]+)\/ /gm)].map(([, path]) => path);
  assert.equal(written.sort(), folders.filter((path) => !path.startsWith("lib/settings/")).sort());
});

test("one function does not import another", () => {
  const wrong = within("functions").filter(
    ({ file, target }) => target.startsWith("functions/") && target.split("/")[1] !== file.split("/")[1],
  );
  assert.equal(wrong, []);
});

test("files import one another without a cycle, type imports included", () => {
  assert.equal(cyclesOf(all.map(({ file, target }) => [file, target])), []);
});

test("folders of lib, cli and lab import one another without a cycle", () => {
  // Folders whose folders are parts of one subject: two groups of lib, and all of cli and lab.
  const subject = (file: string) =>
    (/^(lib\/(config|infrastructure)\b|(cli|lab)\/[^/]+)/.exec(file) ?? [dirname(file)])[0];
  const edges = [...within("lib"), ...within("cli"), ...within("lab")].map(
    ({ file, target }) => [subject(file), subject(target)] as const,
  );
  assert.equal(cyclesOf(edges.filter(([from, to]) => from !== to)), []);
});

test("lib and lab read no environment variable", () => {
  const wrong = globSync("{lib,lab}/**/*.ts", { exclude: ["packages/lab/test/**"] }).filter((file) =>
    /process\s*\.\s*env/.test(readFileSync(file, "utf8")),
  );
  assert.equal(wrong, []);
});

test("a planted import of the wrong kind is found", () => {
  const planted = [{ file: "lib/x/y.ts", target: "stacks/main.ts", dynamic: false }];
  assert.equal(wrongImports(planted, ["lib"]), planted);
  const local = { file: "cli/x.ts", target: "local/y.ts" };
  assert.equal(wrongImports([{ ...local, dynamic: true }], ["cli"], ["local"]), []);
  assert.is(wrongImports([{ ...local, dynamic: false }], ["cli"], ["local"]).length, 1);
});

test("imports that load nothing are told from those that do, in Python too", () => {
  // Written apart, so that this file does not seem to import it.
  const file = '"../c.ts"';
  const dynamic = (source: string) => typeScriptImports("a/b.ts", source).map((found) => found.dynamic);
  assert.equal(dynamic(`import type { A } from ${file};\nexport type { B } from ${file};`), [true, true]);
  assert.equal(dynamic(`import { type A, b } from ${file};\nimport ${file};`), [false, false]);
  assert.equal(dynamic(`const { a } = await import(${file});`), [true]);
  const modules = new Map([["guard", ["local/guard.py"]]]);
  const python = (source: string) => pythonImports("lib/a.py", source, modules);
  const imported = { file: "lib/a.py", target: "local/guard.py", dynamic: false };
  for (const source of ["import guard", "import os, guard as g", "from guard import a", "from local.guard import a"]) {
    assert.equal(python(`"""A docstring."""\n${source}\n`), [imported], source);
  }
  assert.equal(python("def a():\n    import guard\n"), [{ ...imported, dynamic: true }]);
  assert.equal(python("import guards\nimported = guard\n"), []);
});

test("planted cycles are found, and nothing beside them", () => {
  const edges = ["ab", "bc", "ca", "cd", "de", "ef", "fe", "xa"].map(
    (edge) => [edge.charAt(0), edge.charAt(1)] as const,
  );
  assert.equal(cyclesOf(edges), [
    ["e", "f"],
    ["a", "b", "c"],
  ]);
  assert.equal(cyclesOf([...edges.slice(0, 2), ["a", "c"]]), []);
});

test.run();
