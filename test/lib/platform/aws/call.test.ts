import * as assert from "uvu/assert";
import { attempt, call, chunks, retryUnprocessed } from "../../../../lib/platform/aws/call.ts";
import { CallTimeout } from "../../../../lib/platform/aws/errors.ts";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { suite } from "../../../suite.ts";

const test = suite("calls to AWS");

const limits = () => ({ deadline: deadlineIn(10_000), timeoutMs: 1_000, wait: async () => undefined });
const failure = (name: string, more: object = {}) => Object.assign(new Error("told"), { name, ...more });

test("makes at most three attempts at a throttled call, and one at a rejected call", async () => {
  let calls = 0;
  const fails = (name: string) => async () => {
    calls += 1;
    throw failure(name);
  };
  await call(limits(), fails("ThrottlingException")).catch(() => undefined);
  assert.is(calls, 3);
  calls = 0;
  await call(limits(), fails("InvalidInputException")).catch(() => undefined);
  assert.is(calls, 1);
});

test("times out a call that ignores the signal", async () => {
  const error = await attempt(
    { deadline: deadlineIn(10_000), timeoutMs: 20 },
    () => new Promise(() => undefined),
  ).catch((thrown: unknown) => thrown);
  assert.instance(error, CallTimeout);
});

test("starts no call when no time is left", async () => {
  let called = false;
  const error = await attempt({ deadline: deadlineIn(0), timeoutMs: 20 }, async () => {
    called = true;
  }).catch((thrown: unknown) => thrown);
  assert.instance(error, CallTimeout);
  assert.not.ok(called);
});

test("resends rejected entries until none remain", async () => {
  const sent: number[][] = [];
  const result = await retryUnprocessed([1, 2, 3, 4], limits(), async (entries) => {
    sent.push([...entries]);
    return entries.slice(1);
  });
  assert.equal(result.left, []);
  assert.equal(sent, [[1, 2, 3, 4], [2, 3, 4], [3, 4], [4]]);
});

test("gives up after three calls in a row without progress, and returns the rest", async () => {
  let calls = 0;
  const result = await retryUnprocessed([1, 2], limits(), async (entries) => {
    calls += 1;
    return calls === 1 ? entries.slice(1) : entries;
  });
  assert.equal([result.left, result.error, calls], [[2], undefined, 4]);
});

test("stops at an error that is not transient, and returns it", async () => {
  const error = failure("AccessDeniedException");
  const result = await retryUnprocessed([1], limits(), async () => Promise.reject(error));
  assert.equal([result.left, result.error], [[1], error]);
});

test("stops at the deadline", async () => {
  let now = 0;
  const deadline = deadlineIn(100, () => now);
  let calls = 0;
  const result = await retryUnprocessed(
    [1],
    { deadline, timeoutMs: 50, wait: async () => undefined },
    async (entries) => {
      calls += 1;
      now += 100;
      return entries;
    },
  );
  assert.equal([result.left, calls], [[1], 1]);
});

test("splits a list into equal parts and a shorter last one", () => {
  assert.equal(chunks([1, 2, 3], 2), [[1, 2], [3]]);
  assert.equal(chunks([], 2), []);
});

test.run();
