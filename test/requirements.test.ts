import { globSync, readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { suite } from "./suite.ts";

const test = suite("packages of Python");

const LISTS = globSync(["local/**/*.in", "test/**/*.in", "bench/**/*.in"]).sort();

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
  const sources = globSync(["local/**/*.ts", "test/**/*.ts", "bench/**/*.ts", "build/**/*.ts", "cli/**/*.ts"]);
  const installing = sources.filter((file) => /\bpip\b[^\n]*\n?[^\n]*"install"/.test(readFileSync(file, "utf8")));
  assert.equal(installing.sort(), [
    "local/cloud/install.ts",
    "test/checkov/run.ts",
    "test/contract/tools.ts",
    "test/fixtures/python.ts",
  ]);
  for (const file of installing) assert.match(readFileSync(file, "utf8"), '"--require-hashes"');
  assert.is(LISTS.length, 5);
});

test.run();
