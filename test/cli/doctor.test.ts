import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { commandsFor } from "../../packages/processes/tools.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
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
  // Indented below what is wrong with the program.
  for (const tool of ["node", "make", "maven", "python", "terraform"] as const)
    for (const command of commandsFor(tool)) assert.ok(output.includes(`\n${" ".repeat(22)}${command}\n`), command);
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

test("dev says what it installs, and how far that is, before it is ready", () => {
  const started = join(folder, "started");
  spawnSync("mkfifo", [started]);
  const program = (name: string, script: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  // One that creates no environment until dev ends, and a Maven that then fails.
  program("python3", `case "$*" in *version_info*) echo 3 11;; *"-m venv"*) echo > ${started}; read line;; esac`);
  const archive = "https://example.com/x/opensearch-knn-2.19.6.0.zip";
  program(
    "mvn",
    `read line < ${started}; echo "[INFO] Downloaded from central: ${archive} (6.3 MB at 15 MB/s)"; exit 1`,
  );
  // What is bundled when dev ends is written a moment later: nothing may remove this folder meanwhile.
  const project = scratchFolder(TEST_OUTPUT, "dev-installs");
  cpSync(join(ROOT, "conf.local"), join(project, "conf.local"), { recursive: true });
  const { output, status } = relevance(project, "dev", "--stand-ins");
  assert.is(status, 1);
  for (const line of [
    /^installing moto, the local AWS endpoint \(40 MB to download, once\)$/m,
    /^installing OpenSearch \S+ \(\d+ MB to download, once\)$/m,
    /^ {2}opensearch-knn-2\.19\.6\.0\.zip: 6\.3 MB at 15 MB\/s$/m,
    /^OpenSearch \S+ could not be downloaded \(mvn ended with 1\)/m,
  ])
    assert.match(output, line);
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
