import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/core/resilience/deadline.ts";
import { atMost, attempt, call, chunks, once, untilTaken } from "../../../../lib/recommendation/clients/call.ts";
import { CallTimeout, failureKind, isRetryable, reasonOf } from "../../../../lib/recommendation/clients/failure.ts";
import { suite } from "../../../suite.ts";

const test = suite("recommendation: calls to AWS");

const limits = () => ({ deadline: deadlineIn(10_000), timeoutMs: 1_000, wait: async () => undefined });
const failure = (name: string, more: object = {}) => Object.assign(new Error("told"), { name, ...more });

const KINDS: [kind: string, error: unknown][] = [
  ["throttled", failure("ThrottlingException")],
  ["throttled", failure("ProvisionedThroughputExceededException")],
  ["throttled", failure("RequestLimitExceeded")],
  ["throttled", failure("X", { $metadata: { httpStatusCode: 429 } })],
  ["unavailable", failure("InternalServerError")],
  ["unavailable", failure("ServiceUnavailableException")],
  ["unavailable", failure("X", { $metadata: { httpStatusCode: 502 } })],
  ["unavailable", failure("Error", { code: "ECONNREFUSED" })],
  ["timeout", failure("AbortError")],
  ["timeout", new CallTimeout("late")],
  ["not_found", failure("ResourceNotFoundException")],
  ["busy", failure("ResourceInUseException")],
  ["refused", failure("InvalidInputException", { $metadata: { httpStatusCode: 400 } })],
  ["refused", failure("ValidationException")],
  ["failed", failure("AccessDeniedException", { $metadata: { httpStatusCode: 403 } })],
  ["failed", "text"],
];

for (const [kind, error] of KINDS) {
  test(`${error instanceof Error ? `${error.name} ${JSON.stringify(error)}` : error} is ${kind}`, () => {
    assert.is(failureKind(error), kind);
    assert.is(isRetryable(error), kind === "throttled" || kind === "unavailable");
  });
}

test("a reason says nothing of the error's own text", () => {
  const error = failure("ThrottlingException", { message: "arn:aws:x" });
  assert.is(reasonOf("the item store", error), "the item store is throttled");
});

test("tries throttled calls again, three times at most, others not", async () => {
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

test("cuts a call off at its time, also one that does not mind the signal", async () => {
  const error = await attempt(
    { deadline: deadlineIn(10_000), timeoutMs: 20 },
    () => new Promise(() => undefined),
  ).catch((thrown: unknown) => thrown);
  assert.instance(error, CallTimeout);
});

test("begins no call when no time is left", async () => {
  let called = false;
  const error = await attempt({ deadline: deadlineIn(0), timeoutMs: 20 }, async () => {
    called = true;
  }).catch((thrown: unknown) => thrown);
  assert.instance(error, CallTimeout);
  assert.not.ok(called);
});

test("sends what is left until nothing is", async () => {
  const sent: number[][] = [];
  const result = await untilTaken([1, 2, 3, 4], limits(), async (entries) => {
    sent.push([...entries]);
    return entries.slice(1);
  });
  assert.equal(result.left, []);
  assert.equal(sent, [[1, 2, 3, 4], [2, 3, 4], [3, 4], [4]]);
});

test("gives up after three calls in a row that brought nothing, and gives what is left", async () => {
  let calls = 0;
  const result = await untilTaken([1, 2], limits(), async (entries) => {
    calls += 1;
    return calls === 1 ? entries.slice(1) : entries;
  });
  assert.equal([result.left, result.error, calls], [[2], undefined, 4]);
});

test("a call that fails for good ends it at once, with its error", async () => {
  const error = failure("AccessDeniedException");
  const result = await untilTaken([1], limits(), async () => Promise.reject(error));
  assert.equal([result.left, result.error], [[1], error]);
});

test("stops at the deadline", async () => {
  let now = 0;
  const deadline = deadlineIn(100, () => now);
  let calls = 0;
  const result = await untilTaken([1], { deadline, timeoutMs: 50, wait: async () => undefined }, async (entries) => {
    calls += 1;
    now += 100;
    return entries;
  });
  assert.equal([result.left, calls], [[1], 1]);
});

test("the earlier of two ends counts", () => {
  let now = 0;
  const clock = () => now;
  const deadline = atMost(deadlineIn(1_000, clock), 300, clock);
  assert.is(deadline.remaining(), 300);
  now = 400;
  assert.is(deadline.remaining(), 0);
});

test("cuts lists, the last part shorter", () => {
  assert.equal(chunks([1, 2, 3], 2), [[1, 2], [3]]);
  assert.equal(chunks([], 2), []);
});

test("makes a value once, and again after a failure", async () => {
  let made = 0;
  const value = once(async () => {
    made += 1;
    if (made === 1) throw new Error("no");
    return made;
  });
  await value().catch(() => undefined);
  assert.equal([await value(), await value()], [2, 2]);
});

test.run();
