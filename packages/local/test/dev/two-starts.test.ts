import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import type { ClaimOrder } from "./claiming-process.ts";

const test = suite("several starts of make dev at once");

const PROCESSES = 4;
const ROUNDS = 30;

const folders = mkdtempSync(join(tmpdir(), "dev-starts-"));
const processes: ChildProcess[] = [];
const { pid: deadPid } = spawnSync(process.execPath, ["-e", ""]);

test.before(() => {
  for (let count = 0; count < PROCESSES; count += 1) {
    processes.push(fork(join(import.meta.dirname, "claiming-process.ts")));
  }
});
test.after(() => {
  for (const one of processes) one.disconnect();
  rmSync(folders, { recursive: true });
});

const tell = (order: ClaimOrder | "release") =>
  Promise.all(
    processes.map(async (one) => {
      const answer = once(one, "message");
      one.send(order);
      return String((await answer)[0]);
    }),
  );

/** Lets all processes claim one folder at the same time, and returns the sorted outcomes. */
async function round(prepare: (dir: string) => void): Promise<string> {
  const dir = mkdtempSync(join(folders, "round-"));
  prepare(dir);
  const outcomes = await tell({ dir, at: Date.now() + 6 });
  await tell("release");
  assert.equal(readdirSync(dir), [], "nothing is left behind");
  return outcomes.sort().join(" ");
}

const ONE_WINNER = ["claimed", ...Array.from({ length: PROCESSES - 1 }, () => "refused")].join(" ");

for (const [what, prepare] of [
  ["a new folder", () => undefined],
  ["the folder of a process that was killed", (dir) => writeFileSync(join(dir, "dev.pid"), `${deadPid}\n`)],
  [
    "a folder if a process was killed while it took over from another",
    (dir) => {
      writeFileSync(join(dir, "dev.pid"), `${deadPid}\n`);
      writeFileSync(join(dir, `dev.pid.${deadPid}`), `${deadPid} 1\n`);
    },
  ],
] as readonly [string, (dir: string) => void][]) {
  test(`exactly one gets ${what}`, async () => {
    for (let count = 0; count < ROUNDS; count += 1) assert.is(await round(prepare), ONE_WINNER);
  });
}

test.run();
