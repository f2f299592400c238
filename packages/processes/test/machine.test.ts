import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../test/fixtures/env.ts";
import { suite } from "../../../test/suite.ts";
import { LocalError } from "../error.ts";
import { freePorts, HOST, requireFreePort } from "../ports.ts";
import { scratchFolder } from "../scratch.ts";
import { logTail } from "../server.ts";

const test = suite("ports, logs and scratch folders");

const folder = scratchFolder(TEST_OUTPUT, "machine");
test.after(() => rmSync(folder, { recursive: true, force: true }));

test("returns different free ports", async () => {
  const ports = await freePorts(20);
  assert.is(new Set(ports).size, 20);
  await Promise.all(ports.map((port) => requireFreePort(port, "a test")));
});

test("refuses a port that another program uses, naming number and purpose", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, HOST, resolve));
  const { port } = other.address() as { port: number };
  try {
    await requireFreePort(port, "OpenSearch 2.19.6");
    assert.unreachable("the port was taken for free");
  } catch (error) {
    assert.instance(error, LocalError);
    assert.is(
      (error as Error).message,
      `port ${port} for OpenSearch 2.19.6 is taken by another program: stop that program or choose another port`,
    );
  } finally {
    other.close();
  }
});

test("returns the last lines of a log", () => {
  const log = join(folder, "a.log");
  writeFileSync(log, "one\ntwo\nthree\n");
  assert.is(logTail(log, 2), "two\nthree");
  assert.is(logTail(log, 10), "one\ntwo\nthree");
});

test("reads only the end of a huge log, and returns nothing for a missing one", () => {
  const log = join(folder, "b.log");
  for (let i = 0; i < 40; i += 1) appendFileSync(log, `${"x".repeat(10_000)}\n`);
  appendFileSync(log, "the end\n");
  assert.is(logTail(log, 1), "the end");
  assert.ok(logTail(log, 1_000).length <= 64 * 1024);
  assert.is(logTail(join(folder, "none.log")), "");
});

test("creates an empty scratch folder and removes those of dead processes", () => {
  const dead = execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }).trim();
  const abandoned = join(folder, `work-${dead}`);
  const living = join(folder, `work-${process.ppid}`);
  const other = join(folder, `workshop-${dead}`);
  for (const path of [abandoned, living, other]) mkdirSync(path);
  mkdirSync(join(folder, `work-${process.pid}`, "left"), { recursive: true });

  const own = scratchFolder(folder, "work");

  assert.is(existsSync(join(own, "left")), false);
  assert.is(existsSync(own), true);
  assert.is(existsSync(abandoned), false);
  assert.is(existsSync(living), true);
  assert.is(existsSync(other), true);
});

test.run();
