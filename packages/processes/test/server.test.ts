import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as assert from "uvu/assert";
import { ROOT, TEST_OUTPUT } from "../../../test/fixtures/env.ts";
import { suite } from "../../../test/suite.ts";
import { LocalError } from "../error.ts";
import { scratchFolder } from "../scratch.ts";
import { type ServerProcess, startServer } from "../server.ts";
import { waitFor } from "../wait.ts";

const test = suite("server process");

const folder = scratchFolder(TEST_OUTPUT, "server-process");
test.after(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const newLog = () => join(folder, `${++count}.log`);

const shell = (script: string, graceMs = 5_000) =>
  startServer({ command: "sh", args: ["-c", script], logFile: newLog(), graceMs });

/** Waits for a server's end, and keeps this process alive meanwhile. */
async function ended(server: ServerProcess) {
  const keep = setInterval(() => {}, 1_000);
  return server.exited.finally(() => clearInterval(keep));
}

/** Returns whether a process runs; zombies do not. */
function runs(pid: number): boolean {
  try {
    const state = execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
    return !state.trim().startsWith("Z");
  } catch {
    return false;
  }
}

const gone = (pid: number) => waitFor(async () => !runs(pid), { what: `the end of ${pid}`, timeoutMs: 30_000 });

/** Waits until the server has written that many lines, then returns its lines. */
const linesOf = (logFile: string, lines: number) =>
  waitFor(
    async () => {
      const text = existsSync(logFile) ? readFileSync(logFile, "utf8") : "";
      const written = text.split("\n").slice(0, -1);
      return written.length >= lines && written;
    },
    { what: `${lines} lines in ${logFile}`, timeoutMs: 30_000 },
  );

/** Runs a program that starts a server with startServer and then runs the code `then`. */
function program(script: string, logFile: string, then: string) {
  const url = pathToFileURL(join(ROOT, "packages/processes/server.ts")).href;
  const source = `
    import { startServer } from ${JSON.stringify(url)};
    const server = await startServer(${JSON.stringify({ command: "sh", args: ["-c", script], logFile, graceMs: 300 })});
    ${then}`;
  return spawn(process.execPath, ["--input-type=module", "-e", source], { stdio: "inherit" });
}

const STAYS = "setInterval(() => {}, 1000);";

test("ends a server that ignores SIGTERM, and its children, when the program is killed with SIGKILL", async () => {
  const log = newLog();
  const parent = program("trap '' TERM; sleep 300 & echo $!; echo $$; while :; do wait; done", log, STAYS);
  const [child, server] = await linesOf(log, 2);
  assert.is(runs(Number(server)), true);
  parent.kill("SIGKILL");
  await gone(Number(server));
  await gone(Number(child));
});

test("does not keep the program alive, and ends the server with it", async () => {
  const log = newLog();
  // The program ends of itself once the server has written its line.
  const wait = `const { existsSync, readFileSync } = await import("node:fs");
    const written = () => existsSync(${JSON.stringify(log)}) && readFileSync(${JSON.stringify(log)}, "utf8").includes("\\n");
    while (!written()) await new Promise((resolve) => setTimeout(resolve, 20));`;
  const parent = program("echo $$; exec sleep 300", log, wait);
  const [code] = await once(parent, "exit");
  assert.is(code, 0);
  const [line] = await linesOf(log, 1);
  await gone(Number(line));
});

test("stops with SIGTERM, and reports it to every caller", async () => {
  const server = await shell("exec sleep 300");
  const ends = await Promise.all([server.stop(), server.stop()]);
  assert.equal(ends, [
    { code: null, signal: "SIGTERM" },
    { code: null, signal: "SIGTERM" },
  ]);
  assert.equal(await server.stop(), { code: null, signal: "SIGTERM" });
  assert.is(runs(server.pid), false);
});

test("lets a server shut down by itself", async () => {
  const server = await shell("trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.02; done");
  await linesOf(server.logFile, 1);
  assert.equal(await server.stop(), { code: 7, signal: null });
  assert.match(readFileSync(server.logFile, "utf8"), /bye\n$/);
});

test("kills a server that still runs after the grace period", async () => {
  const server = await shell("trap '' TERM; echo up; while :; do sleep 0.02; done", 100);
  await linesOf(server.logFile, 1);
  assert.equal(await server.stop(), { code: null, signal: "SIGKILL" });
});

test("reports how a server ended by itself, and ends what remains of its process group", async () => {
  const server = await shell("sleep 300 & echo $!; exit 3");
  assert.equal(await ended(server), { code: 3, signal: null });
  const [child] = await linesOf(server.logFile, 1);
  await gone(Number(child));
});

test("ends the server when the supervisor itself is killed", async () => {
  const server: ServerProcess = await shell("exec sleep 300");
  const supervisor = Number(execFileSync("ps", ["-o", "ppid=", "-p", String(server.pid)], { encoding: "utf8" }));
  process.kill(supervisor, "SIGKILL");
  await ended(server);
  await gone(server.pid);
});

test("names a command that cannot be started", async () => {
  const start = startServer({ command: "no-such-server", logFile: newLog() });
  const error = await start.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, LocalError);
  assert.match((error as Error).message, "could not start no-such-server: spawn no-such-server ENOENT");
});

test("passes exactly the given environment to the server", async () => {
  const server = await startServer({
    command: "/usr/bin/env",
    env: { ONLY: "this" },
    logFile: newLog(),
  });
  await ended(server);
  assert.is(readFileSync(server.logFile, "utf8"), "ONLY=this\n");
});

test.run();
