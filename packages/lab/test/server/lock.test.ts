import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { ROOT, TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";
import { readJudgmentsFile } from "../../judgments/read.ts";
import { judgmentFiles } from "../../server/judgment-files.ts";
import { locked } from "../../server/lock.ts";

const test = suite("two consoles on one folder");

const folder = scratchFolder(TEST_OUTPUT, "lock");
const COUNT = 150;

/** Judges as another console does, once its standard input ends. */
const judging = (rater: string) => `
  import { judgmentFiles } from ${JSON.stringify(join(ROOT, "packages/lab/server/judgment-files.ts"))};
  const files = judgmentFiles(${JSON.stringify(folder)}, "ada");
  const judge = (doc) => {
    try {
      files.judge("both", { query: "salt", doc, grade: 1, index: "books", rater: "${rater}" });
    } catch (error) {
      if (error.code !== "busy") throw error;
      judge(doc);
    }
  };
  process.stdout.write("ready");
  process.stdin.resume().on("end", () => {
    for (let i = 0; i < ${COUNT}; i += 1) judge("b" + i);
  });`;

test("no judgment is lost when two processes write one file", async () => {
  const children = ["Ada", "Ben"].map((rater) =>
    spawn(process.execPath, ["--input-type=module", "-e", judging(rater)], { stdio: "pipe" }),
  );
  const ended = children.map(async (child) => {
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    assert.is(code, 0, said);
  });
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  for (const child of children) child.stdin.end();
  await Promise.all(ended);
  const { rows } = readJudgmentsFile(join(folder, "both.csv"));
  assert.is(new Set(rows.map(({ rater, document }) => `${rater} ${document}`)).size, 2 * COUNT);
  assert.is(rows.length, 2 * COUNT);
});

test("takes over the lock of a process that is gone or took too long, and of no other", async () => {
  const file = join(folder, "one.csv");
  const lock = `${file}.lock`;
  const gone = spawn(process.execPath, ["-e", ""]);
  await once(gone, "exit");
  for (const pid of [gone.pid, process.pid]) {
    writeFileSync(lock, String(pid));
    assert.is(
      locked(file, () => readFileSync(lock, "utf8"), 0),
      String(process.pid),
    );
    assert.not(existsSync(lock));
  }
  for (const held of [String(process.ppid), ""]) {
    writeFileSync(lock, held);
    assert.throws(() => locked(file, () => "written", 0), /Another console is writing .*one\.csv: try again/);
    assert.is(readFileSync(lock, "utf8"), held);
    utimesSync(lock, new Date(0), new Date(0));
    assert.is(
      locked(file, () => "written", 0),
      "written",
    );
  }
});

test("removes a stale lock only while no other process does, and gives back no lock but its own", () => {
  const file = join(folder, "taken-over.csv");
  const [lock, takeover] = [`${file}.lock`, `${file}.lock.takeover`];
  // This process has seen the stale lock; another one removes it and takes its own before this one goes on.
  writeFileSync(lock, String(process.pid));
  writeFileSync(takeover, String(process.ppid));
  assert.throws(() => locked(file, () => "written", 0), /Another console is writing/);
  assert.ok(existsSync(lock));
  // The other process was killed meanwhile.
  utimesSync(takeover, new Date(0), new Date(0));
  const other = String(process.ppid);
  locked(file, () => writeFileSync(lock, other), 0);
  assert.is(readFileSync(lock, "utf8"), other);
  assert.not(existsSync(takeover));
});

test("gives the lock back when the work fails, and lists no lock as a file", () => {
  const file = join(folder, "failed.csv");
  const work = () => {
    assert.equal(judgmentFiles(folder, "ada").names(), ["both"]);
    throw new Error("the disk is full");
  };
  assert.throws(() => locked(file, work, 0), /the disk is full/);
  assert.not(existsSync(`${file}.lock`));
});

test.run();
