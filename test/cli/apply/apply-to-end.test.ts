import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { applyToTheEnd } from "../../../cli/apply/apply-to-end.ts";
import type { PlannedStack } from "../../../cli/plan/planned.ts";
import { Failure } from "../../../lib/platform/failure.ts";
import { scratchFolder } from "../../../packages/processes/scratch.ts";
import { TEST_OUTPUT } from "../../fixtures/env.ts";
import { suite } from "../../suite.ts";

const test = suite("applying until done");
const folder = scratchFolder(TEST_OUTPUT, "apply-to-end");
test.after(() => rmSync(folder, { recursive: true, force: true }));

const DENIED = "AccessDeniedException";
const KEY_DENIED = "KMSAccessDeniedException";
const who = "User: arn:aws:sts::123456789012:assumed-role/shop-manager/shop-manager";
const MESSAGES: Readonly<Record<string, string>> = {
  [DENIED]: `${who} is not authorized to perform: personalize:CreateFilter on resource: x`,
  [KEY_DENIED]: `${who} is not authorized to perform: kms:Decrypt on resource: x`,
};

/** A stand-in for Terraform whose applies fail with these errors of the invoked function, then succeed. */
function runner(...errors: readonly string[]) {
  const path = join(folder, "terraform.mjs");
  const notes: string[] = [];
  const left = [...errors];
  const write = () => {
    const [error] = left;
    const answer = JSON.stringify({
      errorType: error,
      errorMessage: MESSAGES[error ?? ""] ?? "The filter f is still CREATE PENDING: apply again",
    });
    const message = {
      type: "diagnostic",
      diagnostic: {
        severity: "error",
        address: "aws_lambda_invocation.f",
        summary: `invoking Lambda Function (f): ${answer}`,
      },
    };
    const source =
      error === undefined ? "" : `console.log(${JSON.stringify(JSON.stringify(message))}); process.exitCode = 1;`;
    writeFileSync(path, `#!${process.execPath}\n${source}`);
    chmodSync(path, 0o755);
  };
  write();
  return {
    notes,
    /** Makes the next apply fail with the next error. */
    next() {
      left.shift();
      write();
    },
    run: {
      terraform: { path, product: "Terraform" as const, version: "1.11.4" },
      env: {},
      cacheFolder: folder,
      note: (line: string) => notes.push(line),
    },
  };
}

/** A saved plan that creates these resources. */
const saved = (...addresses: readonly string[]) =>
  savedActions(...addresses.map((address) => [address, ["create"]] as const));

type Planned = readonly [address: string, actions: readonly string[]];

/** A saved plan with these changes. */
function savedActions(...changes: readonly Planned[]): PlannedStack {
  const file = join(folder, "filters.tfplan");
  writeFileSync(file, "");
  const resource_changes = changes.map(([address, actions]) => ({
    address,
    mode: "managed" as const,
    type: "aws_lambda_invocation",
    name: address,
    change: { actions, before: null, after: {} },
  }));
  return { stack: { name: "filters", directory: folder }, file, changes: true, plan: { resource_changes } };
}

const failureOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

test("plans and applies again until a resource is no longer in progress", async () => {
  const { run, notes, next } = runner("StillInProgress", "StillInProgress");
  let rounds = 0;
  const again = async () => {
    rounds += 1;
    next();
    return saved("a");
  };
  await applyToTheEnd(run, saved("a", "b"), { again });
  assert.is(rounds, 2);
  assert.equal(notes, Array(2).fill("  The filter f is still CREATE PENDING: waiting"));
  assert.not(existsSync(join(folder, "filters.tfplan")));
});

test("applies again while IAM does not yet permit an action, and says what it waits for", async () => {
  const { run, notes, next } = runner(DENIED, DENIED);
  const pauses: number[] = [];
  const again = async () => {
    next();
    return saved("a");
  };
  const pause = async (ms: number) => pauses.push(ms);
  await applyToTheEnd(run, saved("a", "b"), { again, pause });
  assert.equal(pauses, [10_000, 10_000]);
  const waiting =
    "  aws_lambda_invocation.f: IAM does not yet permit personalize:CreateFilter to the role shop-manager: waiting";
  assert.equal(notes, [waiting, waiting]);
});

for (const [error, minutes] of [
  [DENIED, 2],
  [KEY_DENIED, 6],
] as const) {
  test(`gives up when ${error} persists for ${minutes} minutes`, async () => {
    const { run } = runner(error);
    let minute = 0;
    const again = async () => saved("a");
    const pause = async () => {
      minute += 1;
    };
    const failed = await failureOf(applyToTheEnd(run, saved("a"), { again, pause, now: () => minute * 60_000 }));
    assert.match(String(failed), "the role shop-manager lacks a permission, not your credentials");
    assert.is(minute, minutes);
  });
}

test("stops at any other error", async () => {
  const { run } = runner("ManagerError");
  const again = () => Promise.reject(new Error("must not be planned"));
  assert.match(String(await failureOf(applyToTheEnd(run, saved("a"), { again }))), "is still CREATE PENDING");
});

test("gives up after an hour, with the reason for the wait", async () => {
  const { run } = runner("StillInProgress");
  let hour = 0;
  const now = () => hour * 3_600_000;
  const again = async () => {
    hour += 1;
    return saved("a");
  };
  const error = await failureOf(applyToTheEnd(run, saved("a"), { again, now }));
  assert.instance(error, Failure);
  assert.match(String(error), "is still CREATE PENDING");
  assert.is(hour, 1);
});

test("does not apply a later plan that changes more than was confirmed", async () => {
  const { run, next } = runner("StillInProgress");
  const again = async () => {
    next();
    return saved("a", "c");
  };
  const error = await failureOf(applyToTheEnd(run, saved("a", "b"), { again }));
  assert.match(String(error), /: c would also change\. Run the command again and check the new plan/);
});

/** Returns the result of a confirmed plan that is still in progress and is followed by another. */
async function followedBy(later: PlannedStack, ...agreed: readonly Planned[]): Promise<unknown> {
  const { run, next } = runner("StillInProgress");
  const again = async () => {
    next();
    return later;
  };
  return failureOf(applyToTheEnd(run, savedActions(...agreed), { again }));
}

for (const [what, later, words] of [
  ["replacement", ["delete", "create"], "a would be replaced"],
  ["replacement, the new one first", ["create", "delete"], "a would be replaced"],
  ["deletion", ["delete"], "a would be deleted"],
] as const) {
  test(`does not apply a ${what} when an update was confirmed`, async () => {
    const error = await followedBy(savedActions(["a", later]), ["a", ["update"]]);
    assert.instance(error, Failure);
    assert.match(String(error), words);
  });
}

test("resumes a confirmed replacement by deleting the old resource", async () => {
  const later = savedActions(["a", ["no-op"]], ["a", ["delete"]]);
  assert.is(await followedBy(later, ["a", ["create", "delete"]]), undefined);
});

test("deletes an old resource as confirmed, even if its address also had an update", async () => {
  const later = savedActions(["a", ["delete"]]);
  assert.is(await followedBy(later, ["a", ["delete"]], ["a", ["update"]]), undefined);
});

test("updates a resource whose confirmed creation has begun", async () => {
  assert.is(await followedBy(savedActions(["a", ["update"]]), ["a", ["create"]]), undefined);
});

test.run();
