import { mkdir } from "node:fs/promises";
import * as assert from "uvu/assert";
import { reportError } from "../../cli/report-error.ts";
import { createTerminal } from "../../cli/terminal.ts";
import { Failure, UsageError } from "../../lib/platform/failure.ts";
import { ConfigurationError } from "../../lib/settings/problem.ts";
import { suite } from "../suite.ts";

const test = suite("error reports to the user");

function stream(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, write: (text: string) => written.push(text), text: () => written.join("") };
}

async function report(error: unknown, { isTTY = false, noColor = false } = {}) {
  const [out, err] = [stream(isTTY), stream(isTTY)];
  const code = await reportError(error, ["plan"], createTerminal(out, err, noColor));
  return { out: out.text(), err: err.text(), code };
}

const refusedFolder = await mkdir("package.json/below", { recursive: true }).catch((error: unknown) => error);
const problem = { file: "conf/a.yaml", line: 3, path: "b[0].c", message: "is missing: a mapping" };
const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
for (const [what, error, err, code] of [
  ["a usage error's message", new UsageError("--x: no"), "--x: no", 2],
  ["a failure's message without a stack trace", new Failure("there is no domain x"), "there is no domain x", 1],
  [
    "the problems of an invalid configuration",
    new ConfigurationError([problem]),
    "conf/a.yaml:3  b[0].c  is missing: a mapping\n1 problem in 1 file",
    2,
  ],
  [
    "a wrong path as a message",
    refusedFolder,
    "ENOTDIR: not a directory, mkdir 'package.json/below': a file stands where a folder is needed: remove it, or choose another folder",
    2,
  ],
  ["a full disk", full, "ENOSPC: no space left on device, write: the disk is full: free some space", 1],
] as const) {
  test(`prints ${what}, with exit code ${code}`, async () => {
    assert.equal(await report(error), { out: "", err: `${err}\n`, code });
  });
}

test("reports an error of a socket that has the code of a file operation as a bug", async () => {
  const socket = Object.assign(new Error("connect EACCES"), { code: "EACCES" });
  assert.match((await report(socket)).err, "This is a bug");
});

test("reports anything else as a bug, with the stack trace", async () => {
  const { err, code } = await report(new TypeError("x is undefined"));
  assert.match(err, /^TypeError: x is undefined\n {4}at .*report-error.test.ts/);
  assert.match(err, /This is a bug in relevance. Please report it with the lines above.\n$/);
  assert.is(code, 1);
});

test("prints a thrown value that is not an error", async () => {
  assert.match((await report("oops")).err, /^oops\nThis is a bug/);
});

test("uses colours only on a terminal, and not with NO_COLOR", async () => {
  assert.match((await report(new Failure("x"), { isTTY: true })).err, "\u001b[31m");
  assert.not.match((await report(new Failure("x"), { isTTY: true, noColor: true })).err, "\u001b");
  assert.not.match((await report(new Failure("x"))).err, "\u001b");
});

test.run();
