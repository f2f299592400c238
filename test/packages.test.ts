import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import * as assert from "uvu/assert";
import { suite } from "./suite.ts";

const test = suite("packages of npm");

/** Folders with a package.json of their own; the shop's page is copied with what its owner installs. */
const ROOMS = globSync("packages/*/package.json", { exclude: ["packages/shop/**"] })
  .map(dirname)
  .sort();
const PRODUCT = ["functions", "lib", "stacks", "build", "cli"];

type Listed = Readonly<Record<"dependencies" | "devDependencies", Readonly<Record<string, string>>>> & {
  /** Names of our own for packages, such as `#cdktf`. */
  readonly imports?: Readonly<Record<string, string>>;
};

const listedIn = (folder: string): Listed => ({
  dependencies: {},
  devDependencies: {},
  ...JSON.parse(readFileSync(`${folder}/package.json`, "utf8")),
});

/** Returns the packages that files of folders import, sorted; types alone have a package of another name. */
function importedIn(folders: readonly string[], listed: Listed, tests: boolean): string[] {
  const { dependencies, devDependencies, imports = {} } = listed;
  const known = { ...dependencies, ...devDependencies };
  const files = globSync(folders.map((folder) => `${folder}/**/*.{ts,tsx,mjs}`)).filter(
    (file) => /^(?:packages\/[\w-]+\/)?test\//.test(file) === tests,
  );
  const packageOf = (name: string) => {
    const target = name.startsWith("#") ? (imports[name] ?? imports[`${name}/*`] ?? name) : name;
    return /^(?:@[\w-]+\/)?[\w.-]+/.exec(target)?.[0] ?? target;
  };
  const found = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/(?:from|import\s*\(|import)\s*"((?:@[\w-]+\/|#)?\w[\w.-]*)[^":]*"/g)]
      .map(([, name = ""]) => packageOf(name))
      .map((name) => (`@types/${name}` in known && !(name in known) ? `@types/${name}` : name)),
  );
  return [...new Set(found)].sort();
}

for (const room of ROOMS) {
  test(`${room}/package.json lists what its files import, for tests only what its tests alone import`, () => {
    const listed = listedIn(room);
    const sources = importedIn([room], listed, false);
    const types = sources.filter((name) => name.startsWith("@types/"));
    const dependencies = sources.filter((name) => !types.includes(name));
    assert.equal(Object.keys(listed.dependencies), dependencies);
    const tests = importedIn([room], listed, true).filter((name) => !dependencies.includes(name));
    assert.equal(Object.keys(listed.devDependencies), [...new Set([...types, ...tests])].sort());
  });
}

test("the root's package.json lists as dependencies what the product imports, and the Node.js that runs it", () => {
  const listed = listedIn(".");
  const imported = importedIn(PRODUCT, listed, false).filter((name) => !name.startsWith("@types/"));
  assert.equal(Object.keys(listed.dependencies), [...imported, "node"].sort());
});

test("a package that several list has one version", () => {
  const pairs = [".", ...ROOMS].flatMap((folder) => {
    const { dependencies, devDependencies } = listedIn(folder);
    return Object.entries({ ...dependencies, ...devDependencies });
  });
  const versions = Map.groupBy(pairs, ([name]) => name);
  const differing = [...versions].filter(([, listed]) => new Set(listed.map(([, version]) => version)).size > 1);
  assert.equal(differing, []);
});

test.run();
