import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { ROOT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";

const test = suite("tools of this machine");

const folder = mkdtempSync(join(tmpdir(), "doctor-"));
const bin = join(folder, "bin");
mkdirSync(bin);
symlinkSync(process.execPath, join(bin, "node"));
cpSync(join(ROOT, "conf.local"), join(folder, "conf.local"), { recursive: true });
test.after(() => rmSync(folder, { recursive: true }));

/** Runs a command on a machine that has nothing but Node.js, and Java in one of the places where it is looked for. */
function relevance(cwd: string, ...args: string[]) {
  const env = { HOME: folder, PATH: bin, NO_COLOR: "1", RELEVANCE_INSTALL_DIR: join(folder, "servers") };
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(ROOT, "cli/main.ts"), ...args], {
    ...{ cwd, env, encoding: "utf8" },
  });
  return { output: stdout + stderr, status };
}

test("doctor names everything that is missing at once, each with a command", () => {
  const { output, status } = relevance(folder, "doctor");
  assert.is(status, 1);
  assert.match(output, /^ok +Node\.js +22\./m);
  for (const name of ["npm", "make", "Maven", "Python", "Terraform"])
    assert.match(output, new RegExp(`^missing ${name} `, "m"));
  for (const name of ["maven", "python", "opentofu"]) assert.match(output, new RegExp(`install\\S* .*${name}`), name);
  assert.match(output, /\n5 missing\./);
});

test("dev names everything that it misses at once, before it writes anything", () => {
  const { output, status } = relevance(folder, "dev");
  assert.is(status, 1);
  assert.match(output, /Python 3\.10 or newer with its venv module[\s\S]*install.*python/);
  assert.match(output, /OpenSearch \S+ is assembled by Maven[\s\S]*install.*maven/);
  assert.equal(
    ["servers", ".local"].filter((name) => existsSync(join(folder, name))),
    [],
  );
});

test("dev says first that OpenSearch cannot run in a folder with a space", () => {
  const spaced = join(folder, "my search");
  mkdirSync(spaced);
  cpSync(join(ROOT, "conf.local"), join(spaced, "conf.local"), { recursive: true });
  const { output, status } = relevance(spaced, "dev");
  assert.is(status, 1);
  assert.match(
    output,
    /^OpenSearch cannot run in a folder with a space in its path: "\S+\/my search\/\.local"\. Move it\n$/,
  );
});

test.run();
