import { globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Configuration } from "@relevance/lib/settings/configuration.ts";
import * as assert from "uvu/assert";
import { configuration } from "../../../../test/fixtures/configurations/configurations.ts";
import { importsOf } from "../../../../test/runner/files.ts";
import { suite } from "../../../../test/suite.ts";
import { keptRoles, SOURCES } from "../../dev/kept-roles.ts";

const test = suite("make dev: roles kept between starts");

const root = mkdtempSync(join(tmpdir(), "roles-"));
const folder = join(root, "kept");
for (const directory of ["stacks/gateway", "lib"]) mkdirSync(join(root, directory), { recursive: true });
const FILES = ["stacks/gateway/role.ts", "lib/names.ts", "package.json"];
for (const file of FILES) writeFileSync(join(root, file), "before");
test.after(() => rmSync(root, { recursive: true }));

let made = 0;
const rolesOf = async (config: Configuration) => {
  const make = async () => {
    made += 1;
    return made;
  };
  return keptRoles(config, make, { root, folder });
};

test("are made once for a configuration, and again for another", async () => {
  const [minimal, all] = [configuration("minimal"), configuration("all-options")];
  assert.equal(
    [await rolesOf(minimal), await rolesOf(minimal), await rolesOf(all), await rolesOf(minimal)],
    [1, 1, 2, 1],
  );
  assert.is(readdirSync(folder).length, 2);
});

test("are made again, in place of the old ones, when a source or the packages have changed", async () => {
  for (const file of FILES) {
    const before = await rolesOf(configuration("minimal"));
    writeFileSync(join(root, file), "after it");
    assert.is.not(await rolesOf(configuration("minimal")), before, file);
    assert.is(readdirSync(folder).length, 2);
  }
});

test("depend on no other source", () => {
  const known = new Set(globSync(SOURCES));
  const sources = [...importsOf(".", "stacks/sample-stacks.ts")];
  assert.ok(sources.length > 20);
  assert.equal(
    sources.filter((source) => !known.has(source)),
    [],
  );
});

test.run();
