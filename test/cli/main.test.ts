import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as assert from "uvu/assert";
import { COMMANDS } from "../../cli/commands.ts";
import { SERVICES } from "../../cli/services.ts";
import { suite } from "../suite.ts";
import { relevance } from "./run-cli.ts";
import { runHere } from "./run-here.ts";

const test = suite("relevance");

const HELP = `Usage: relevance [options] [command]`;

test("lists every command and its summary with --help", () => {
  const { out, err, code } = relevance(["--help"]);
  assert.ok(out.startsWith(HELP));
  for (const [words, summary] of Object.entries(COMMANDS).filter(([words]) => !words.includes(" "))) {
    assert.match(out.replaceAll(/\s+/g, " "), `${words} ${summary}`);
  }
  assert.is(err, "");
  assert.is(code, 0);
});

test("lists the commands of a group with --help", () => {
  const { out, code } = relevance(["hybrid-search", "--help"]);
  assert.match(out, /^ {2}generate-semantic-index-schema {2}add the embedding fields/m);
  assert.is(code, 0);
});

for (const [words, summary] of Object.entries(COMMANDS)) {
  test(`${words} --help has its summary, --conf and an example that calls it`, async () => {
    const { out, err, code } = await runHere([...words.split(" "), "--help"]);
    assert.match(out, `Usage: relevance ${words} [options]`);
    assert.match(out, `\n${summary}\n`);
    assert.match(out, "--conf <dir>");
    assert.match(out, /\(default: "conf(\.local)?"\)/);
    assert.match(out, new RegExp(`\nExample:\n(.*\n)* {2}.*relevance ${words}`));
    assert.is(err, "");
    assert.is(code, 0);
  });
}

test("treats help COMMAND as COMMAND --help", async () => {
  assert.equal(relevance(["help", "validate"]), await runHere(["validate", "--help"]));
});

test("--version prints the package's version", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  assert.equal(relevance(["--version"]), { out: `${version}\n`, err: "", code: 0 });
});

test("prints the help to standard error with exit code 2 if there is no command", () => {
  const { out, err, code } = relevance([]);
  assert.is(out, "");
  assert.ok(err.startsWith(HELP));
  assert.is(code, 2);
});

for (const [args, message] of [
  [["validte"], "unknown command 'validte'\n(Did you mean validate?)\nSee: relevance --help\n"],
  [["validate", "--cnf", "x"], "unknown option '--cnf'\n(Did you mean --conf?)\nSee: relevance validate --help\n"],
  [["validate", "--conf"], "option '--conf <dir>' argument missing\nSee: relevance validate --help\n"],
  [["validate", "--conf", ""], "--conf: needs a folder\n"],
  [["hybrid-search", "generate"], "unknown command 'generate'\nSee: relevance hybrid-search --help\n"],
] as const) {
  test(`exits with 2 on a usage error: ${args.join(" ")}`, async () => {
    assert.equal(await runHere(args), { out: "", err: message, code: 2 });
  });
}

for (const [args, err] of [
  ["index create --index a --schema_file_path /none", "--schema-file-path: /none does not exist"],
  ["index create --index a --schema-file-path=/none", "--schema-file-path: /none does not exist"],
  ["destroy --destroy_infra maybe", "--destroy-infra: must be true or false"],
  ["destroy --destory_infra true", "unknown option '--destory-infra'\n(Did you mean --destroy-infra?)"],
] as const) {
  test(`takes options with dashes or underscores, and names a mistyped one: ${args}`, async () => {
    const ran = await runHere(args.split(" "));
    assert.equal([ran.err.startsWith(err), ran.code], [true, 2], ran.err);
  });
}

test("the help of each removal says what it removes, as the guide does", async () => {
  const guide = readFileSync("docs/guides/teardown.md", "utf8");
  for (const { command, removes } of Object.values(SERVICES)) {
    assert.match((await runHere([command, "--help"])).out, `It removes ${removes}.`);
    assert.match(guide, `| \`relevance ${command} --destroy-infra false\` | the`);
    assert.match(guide, removes);
  }
  assert.match((await runHere(["purge", "--help"])).out, "bucket with all its objects");
});

test("has one row in the table for each file in commands/", () => {
  const files = globSync("cli/commands/*.ts").map((file) => basename(file, ".ts"));
  const named = Object.keys(COMMANDS).map((words) => words.replaceAll(" ", "-"));
  assert.equal(files.toSorted(), named.toSorted());
});

test("loads commands only when they are called: the table imports none of them", () => {
  assert.not.match(readFileSync("cli/commands.ts", "utf8"), /^import .*\.\/commands\//m);
});

test("says what to do when the launcher finds no installed packages", () => {
  withCopy((folder) => {
    const { stderr, status } = spawnSync(process.execPath, [join(folder, "cli/relevance.mjs"), "validate"], {
      encoding: "utf8",
    });
    assert.match(
      stderr,
      /^The packages of relevance are not installed \(.*node_modules\/\.bin\/node is missing\): run make install\n$/,
    );
    assert.is(status, 1);
  });
});

test("the first command of a project names the minimum to a machine with an older Node", () => {
  withCopy((folder) => {
    const old = 'data:text/javascript,Object.defineProperty(process, "versions", { value: { node: "20.1.0" } })';
    const args = ["--import", old, join(folder, "cli/relevance.mjs"), "init"];
    const { stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.match(stderr, "This machine has Node 20.1.0. Node 22 is the minimum, for npm: install it from nodejs.org.");
  });
});

test("passes signals on through the launcher, and ends as its program does", async () => {
  const folder = copy();
  // Ends by itself when no signal comes, so that a broken launcher fails the test instead of hanging it.
  installNode(
    folder,
    "process.on('SIGTERM', () => process.exit(3)); console.log('up'); setTimeout(() => process.exit(9), 10_000);",
  );
  const child = spawn(process.execPath, [join(folder, "cli/relevance.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  rmSync(folder, { recursive: true });
  assert.is(code, 3);
});

test("passes arguments and the exit code through the launcher", () => {
  withCopy((folder) => {
    installNode(folder, "console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 3;");
    const run = spawnSync(process.execPath, [join(folder, "cli/relevance.mjs"), "a b", "--c"], { encoding: "utf8" });
    assert.is(run.stdout, '["a b","--c"]\n');
    assert.is(run.status, 3);
  });
});

test("exits with 128 plus the signal's number if a signal ends the program", () => {
  withCopy((folder) => {
    installNode(folder, "process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);");
    assert.is(spawnSync(process.execPath, [join(folder, "cli/relevance.mjs")]).status, 137);
  });
});

test("succeeds if the reader of its output stops early", () => {
  const command = `set -o pipefail; "${process.execPath}" cli/relevance.mjs --help | true; echo $?`;
  const { stdout, stderr } = spawnSync("bash", ["-c", command], { encoding: "utf8" });
  assert.is(stderr, "");
  assert.is(stdout, "0\n");
});

/** A folder with the launcher alone. */
function copy(): string {
  const folder = mkdtempSync(join(tmpdir(), "relevance-"));
  mkdirSync(join(folder, "cli"));
  cpSync("cli/relevance.mjs", join(folder, "cli/relevance.mjs"));
  return folder;
}

function withCopy(use: (folder: string) => void): void {
  const folder = copy();
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Gives the folder a program, and a Node of its own that is not the one which runs the launcher. */
function installNode(folder: string, program: string): void {
  writeFileSync(join(folder, "cli/main.ts"), program);
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  writeFileSync(join(folder, "node_modules/.bin/node"), `#!/bin/sh\nexec "${process.execPath}" "$@"\n`, {
    mode: 0o755,
  });
}

test("refuses a value of LOCAL that is not 1, and two kinds of local at once", async () => {
  const wrong = await runHere(["plan"], { RELEVANCE_LOCAL: "yes" });
  assert.match(wrong.err, "LOCAL=yes: set LOCAL=1 (or RELEVANCE_LOCAL=1) for the account on this machine");
  assert.is(wrong.code, 2);
  const both = await runHere(["status", "--local"], { RELEVANCE_LOCAL: "1" });
  assert.match(both.err, "--local is the stack of `make dev`, and LOCAL=1 the local account: leave one of them out");
  assert.is(both.code, 2);
});

test.run();
