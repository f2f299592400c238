import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { installOnce } from "../install.ts";
import { commandsFor, isOnPath, systemOf } from "../tools.ts";

const test = suite("tools of the machine");

const dir = mkdtempSync(join(tmpdir(), "tools-"));
test.after(() => rmSync(dir, { recursive: true }));

test("knows the package manager of a system", () => {
  for (const [platform, release, system] of [
    ["linux", 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n', "debian"],
    ["linux", "ID=ubuntu\nID_LIKE=debian\n", "debian"],
    ["linux", 'ID=linuxmint\nID_LIKE="ubuntu debian"\n', "debian"],
    ["linux", "ID=fedora\n", "fedora"],
    ["linux", 'ID="rocky"\nID_LIKE="rhel centos fedora"\n', "fedora"],
    ["linux", "ID=alpine\n", undefined],
    ["darwin", "", "macos"],
  ] as const)
    assert.is(systemOf(platform, release), system, release);
});

test("names one command on a known system, and all of them on another", () => {
  assert.equal(commandsFor("maven", "fedora"), ["sudo dnf install maven"]);
  assert.match(commandsFor("python", "debian").join(), "python3-venv");
  assert.equal(commandsFor("maven", "macos"), ["brew install maven"]);
});

test("finds a program on a path by name, if it can be run", () => {
  writeFileSync(join(dir, "runs"), "", { mode: 0o755 });
  writeFileSync(join(dir, "text"), "");
  assert.equal(
    [isOnPath("runs", dir), isOnPath("text", dir), isOnPath("absent", `/nowhere:${dir}`)],
    [true, false, false],
  );
  assert.is(isOnPath(join(dir, "runs"), ""), true);
});

test("says how far an installation is while it runs, and no longer", async () => {
  const told = Promise.withResolvers<string>();
  const home = await installOnce({
    ...{ dir, name: "something", everyMs: 5, onProgress: told.resolve, isComplete: () => false },
    async build(staged) {
      writeFileSync(staged, Buffer.alloc(3_000_000));
      assert.match(await told.promise, /^ {2}something: \d+ s, 3 MB so far$/);
    },
  });
  assert.is(home, join(dir, "something"));
});

test("waits for another process that is installing the same, and uses its installation", async () => {
  const staging = join(dir, `.installing-shared-${process.ppid}`);
  mkdirSync(staging);
  const said: string[] = [];
  const home = await installOnce({
    ...{ dir, name: "shared", isComplete: existsSync },
    onProgress(line) {
      said.push(line);
      renameSync(staging, join(dir, "shared"));
    },
    build: () => Promise.reject(new Error("installed twice")),
  });
  assert.is(home, join(dir, "shared"));
  assert.equal(said, [`waiting for process ${process.ppid}, which is installing shared`]);
});

test("installs if another process does not finish, whose number may have been given anew", async () => {
  mkdirSync(join(dir, `.installing-reused-${process.ppid}`));
  const build = async (staged: string) => void mkdirSync(staged);
  assert.ok(existsSync(await installOnce({ dir, name: "reused", isComplete: existsSync, waitMs: 20, build })));
});

test("installs in place of a process that ended before it had installed", async () => {
  // The highest number of a process is far below it.
  mkdirSync(join(dir, ".installing-left-999999999"));
  const home = await installOnce({ dir, name: "left", isComplete: existsSync, build: async (to) => mkdirSync(to) });
  assert.ok(existsSync(home));
});

test.run();
