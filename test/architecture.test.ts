import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
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
  test: ["lib", "functions", "stacks", "build", "cli", "packages", "bench"],
  bench: ["lib", "functions", "stacks", "build", "cli", "packages", "test"],
};

/** The same for each package, which the others know by its name. */
const PACKAGES: Record<string, readonly string[]> = {
  clients: [],
  "demo-data": ["lib"],
  lab: ["lib", "clients/typescript"],
  local: ["lib", "functions", "lab", "local-aws", "local-personalize", "local-models", "demo-data", "processes"],
  "local-aws": ["lib", "processes"],
  "local-models": ["lib", "local-aws", "demo-data", "processes"],
  "local-personalize": ["lib", "local-aws", "demo-data", "lab"],
  processes: ["lib"],
  shop: [],
  start: ["lib", "lab", "local", "clients/typescript"],
};

/** The same for the groups of `lib`. */
const GROUPS: Record<string, readonly string[]> = {
  platform: [],
  settings: ["platform", "personalize/filters", "personalize/limits.ts"],
  personalize: ["platform", "settings"],
  infrastructure: ["platform", "settings", "recommendation"],
  search: ["platform", "settings", "personalize"],
  recommendation: ["platform", "settings", "personalize"],
};

/** These are loaded only when needed, with `await import()`; a static import of them is refused, of types aside. */
const ON_DEMAND: Record<string, readonly string[]> = { cli: ["stacks", "packages"], local: ["stacks"] };

const all = [...Object.keys(FOLDERS), "packages"].flatMap(importsOf);
const isTest = (path: string) => /^(?:packages\/(?:clients\/)?[\w-]+\/)?test\//.test(path);
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
  test(`${folder}/ imports only ${rules.join(", ") || "packages of npm"}`, () => {
    assert.equal(wrongImports(within(folder), [folder, ...rules], ON_DEMAND[folder]), []);
  });
}

for (const [name, rules] of Object.entries(PACKAGES)) {
  test(`packages/${name}/ imports only ${rules.join(", ") || "packages of npm"}`, () => {
    const allowed = rules.map((rule) => ((rule.split("/")[0] ?? "") in PACKAGES ? `packages/${rule}` : rule));
    const found = within(`packages/${name}`);
    assert.equal(wrongImports(found, [`packages/${name}`, ...allowed], ON_DEMAND[name]), []);
  });
}

test("a package is imported by its name", () => {
  const home = (path: string) => (/^(lib|packages\/(?!clients)[\w-]+)\//.exec(path) ?? [])[1];
  const wrong = within("packages").filter(({ file, target, byName }) => {
    const to = home(target);
    return to !== undefined && byName === (to === home(file));
  });
  assert.equal(wrong, []);
});

for (const [group, rules] of Object.entries(GROUPS)) {
  test(`of lib/, lib/${group}/ imports only ${rules.join(", ") || "itself"}`, () => {
    const allowed = [group, ...rules].map((rule) => `lib/${rule}`);
    assert.equal(wrongImports(within(`lib/${group}`), allowed), []);
  });
}

test("every group of lib and every package has its rules", () => {
  const ruled = [
    ...Object.keys(GROUPS).map((group) => `lib/${group}/`),
    ...Object.keys(PACKAGES).map((name) => `packages/${name}/`),
  ];
  assert.equal(globSync("{lib,packages}/*/").sort(), ruled.map((path) => path.slice(0, -1)).sort());
});

const architecture = readFileSync("docs/architecture.md", "utf8");

test("docs/architecture.md has the same tables", () => {
  const shared = {
    test: ["everything"],
    bench: ["everything"],
    lib: ["packages of npm only"],
    clients: ["packages of npm only"],
    shop: ["packages of npm only"],
  };
  const written = new Map(
    [...architecture.matchAll(/^\| `([\w-]+)` \| ([^;|]+)/gm)].map(([, folder = "", cell = ""]) => [
      folder,
      cell.trim().replaceAll("`", "").split(", "),
    ]),
  );
  assert.equal(Object.fromEntries(written), {
    ...FOLDERS,
    ...PACKAGES,
    ...GROUPS,
    ...shared,
    platform: ["nothing of ours"],
  });
});

test("docs/architecture.md has every folder, and no other", () => {
  const groups = Object.keys(GROUPS).map((group) => `lib/${group}`);
  const subjects = ["{cli,packages,stacks}/*/", "lib/*/*/"].flatMap((pattern) => globSync(pattern));
  const leaves = groups.filter((group) => !subjects.some((path) => path.startsWith(`${group}/`)));
  const folders = [...leaves, "lib/settings", ...subjects.map((path) => path.replace(/\/$/, ""))];
  const written = [...architecture.matchAll(/^((?:cli|lib|packages|stacks)\/[\w/-]+)\/ /gm)].map(([, path]) => path);
  assert.equal(written.sort(), folders.filter((path) => !path.startsWith("lib/settings/")).sort());
});

for (const readme of globSync("packages/*/README.md")) {
  test(`${readme} has every folder of its package`, () => {
    const text = readFileSync(readme, "utf8");
    const folders = globSync(`${dirname(readme)}/*/`).map((path) => basename(path));
    assert.equal(
      folders.filter((name) => name !== "node_modules" && !text.includes(`\`${name}/\``)),
      [],
    );
  });
}

test("one function does not import another", () => {
  const wrong = within("functions").filter(
    ({ file, target }) => target.startsWith("functions/") && target.split("/")[1] !== file.split("/")[1],
  );
  assert.equal(wrong, []);
});

test("files import one another without a cycle, type imports included", () => {
  assert.equal(cyclesOf(all.map(({ file, target }) => [file, target])), []);
});

test("folders of lib, cli and the lab import one another without a cycle", () => {
  // Folders whose folders are parts of one subject: two groups of lib, and all of cli and the lab.
  const subject = (file: string) =>
    (/^(lib\/(settings|infrastructure)\b|(cli|packages\/lab)\/[^/]+)/.exec(file) ?? [dirname(file)])[0];
  const edges = [...within("lib"), ...within("cli"), ...within("packages/lab")].map(
    ({ file, target }) => [subject(file), subject(target)] as const,
  );
  assert.equal(cyclesOf(edges.filter(([from, to]) => from !== to)), []);
});

test("a search loads the code of its stages alone, and that of tokens only with one", () => {
  const imports = ["functions", "lib"].flatMap(importsOf).filter(({ dynamic }) => !dynamic);
  const loaded = new Set(globSync("functions/api-router/*.ts"));
  // A set's loop comes to what is added during it.
  for (const file of loaded) for (const one of imports) if (one.file === file) loaded.add(one.target);
  const stages = ["boost-hits", "boost-scores", "vary-hits", "rerank-hits", "rank-for-user", "pin-documents"];
  const onDemand = [...stages.map((name) => `lib/search/stages/${name}.ts`), "lib/platform/http/tokens.ts"];
  assert.equal(
    onDemand.filter((file) => !existsSync(file) || loaded.has(file)),
    [],
  );
  assert.ok(loaded.has("lib/search/stages/boost.ts"));
});

test("lib and lab read no environment variable", () => {
  const wrong = globSync(["lib/**/*.ts", "packages/lab/**/*.ts"], { exclude: ["packages/lab/test/**"] }).filter(
    (file) => /process\s*\.\s*env/.test(readFileSync(file, "utf8")),
  );
  assert.equal(wrong, []);
});

test("a planted import of the wrong kind is found", () => {
  const planted = [{ file: "lib/x/y.ts", target: "stacks/main.ts", dynamic: false, byName: false }];
  assert.equal(wrongImports(planted, ["lib"]), planted);
  const local = { file: "cli/x.ts", target: "packages/local/y.ts", byName: false };
  assert.equal(wrongImports([{ ...local, dynamic: true }], ["cli"], ["packages"]), []);
  assert.is(wrongImports([{ ...local, dynamic: false }], ["cli"], ["packages"]).length, 1);
});

test("imports that load nothing are told from those that do, in Python too", () => {
  // Written apart, so that this file does not seem to import it.
  const file = '"../c.ts"';
  const dynamic = (source: string) => typeScriptImports("a/b.ts", source).map((found) => found.dynamic);
  assert.equal(dynamic(`import type { A } from ${file};\nexport type { B } from ${file};`), [true, true]);
  assert.equal(dynamic(`import { type A, b } from ${file};\nimport ${file};`), [false, false]);
  assert.equal(dynamic(`const { a } = await import(${file});`), [true]);
  const modules = new Map([["guard", ["packages/local-aws/guard.py"]]]);
  const python = (source: string) => pythonImports("lib/a.py", source, modules);
  const imported = { file: "lib/a.py", target: "packages/local-aws/guard.py", dynamic: false, byName: false };
  for (const source of [
    "import guard",
    "import os, guard as g",
    "from guard import a",
    "from .guard import a",
    "from . import (b,\n  guard)",
  ]) {
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
