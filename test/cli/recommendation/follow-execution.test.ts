import { DescribeExecutionCommand, type SFNClient } from "@aws-sdk/client-sfn";
import * as assert from "uvu/assert";
import { endText, followExecution, type Work } from "../../../cli/recommendation/follow-execution.ts";
import { Failure } from "../../../lib/platform/failure.ts";
import type { Lock } from "../../../lib/recommendation/training/state.ts";
import { suite } from "../../suite.ts";

const test = suite("watching an execution");

const named = (name: string) => Object.assign(new Error("said by AWS"), { name });
const EXPIRED = named("ExpiredTokenException");

/** Follows an execution whose polls return these outcomes in turn. Returns its output or the error. */
async function follow(
  work: Work,
  looks: readonly (object | Error)[],
  lock: () => Promise<undefined> = async () => undefined,
) {
  const left = [...looks];
  let clock = 0;
  const send = async (command: object) => {
    assert.instance(command, DescribeExecutionCommand);
    const next = left.shift();
    if (next instanceof Error) throw next;
    return next;
  };
  const following = {
    sfn: { send } as Pick<SFNClient, "send">,
    state: { lock },
    note: () => {},
    intervalMs: 30_000,
    wait: async (ms: number) => {
      clock += ms;
    },
    now: () => clock,
  };
  return followExecution(work, { name: "w1", arn: "arn:w1" }, following).catch((error: unknown) => error);
}

/** Returns the milliseconds between the polls of a run that ends after `polls` of them. */
async function pauses(polls: number, run: string): Promise<number[]> {
  const [waited, left]: [number[], object[]] = [[], [...Array(polls - 1).fill(RUNNING), DONE]];
  await followExecution(
    "training",
    { name: "w1", arn: "arn:w1" },
    {
      sfn: { send: async () => left.shift() } as unknown as Pick<SFNClient, "send">,
      state: { lock: async () => ({ run }) as Lock },
      ...{ note: () => {}, intervalMs: 10_000, now: () => waited.reduce((sum, ms) => sum + ms, 0) },
      wait: async (ms) => waited.push(ms),
    },
  );
  return waited;
}

test("polls every second until the run has the lock, since one that finds another training ends at once", async () => {
  assert.equal(
    [await pauses(3, "w1"), await pauses(3, "other")],
    [
      [10_000, 10_000],
      [1_000, 1_000],
    ],
  );
  assert.is((await pauses(13, "other")).at(-1), 10_000);
});

const RUNNING = { status: "RUNNING" };
const DONE = { status: "SUCCEEDED", output: '{"recipes":[]}' };

test("stops watching, but not the training, when credentials expire", async () => {
  const error = await follow("training", [RUNNING, EXPIRED]);
  assert.instance(error, Failure);
  assert.match(
    String(error),
    "The training w1 may still be running; `relevance status` shows its progress. It cannot be watched: ",
  );
  assert.match(String(error), "the AWS credentials have expired: get new ones");
});

test("stops watching, but not the teardown, without permission to read the lock", async () => {
  const error = await follow("teardown", [RUNNING], () => Promise.reject(named("AccessDeniedException")));
  assert.instance(error, Failure);
  assert.match(String(error), "The teardown w1 may still be running; run the command again to follow it.");
  assert.match(String(error), "may not call dynamodb:GetItem");
});

const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" });

test("retries a call after a temporary failure", async () => {
  assert.equal(await follow("training", [reset, named("ThrottlingException"), DONE]), { recipes: [] });
});

test("gives up after two minutes without an answer, with a reason instead of a stack trace", async () => {
  const error = await follow("training", [RUNNING, reset, reset, reset, reset, reset, DONE]);
  assert.instance(error, Failure);
  assert.match(String(error), /It cannot be watched: .*cannot reach AWS for states:DescribeExecution \(ECONNRESET\)/);
  assert.equal(await follow("training", [RUNNING, reset, reset, reset, DONE]), { recipes: [] });
});

test("reports an execution that a restart of the local stack dropped as a failure, not as a bug", async () => {
  const error = await follow("training", [RUNNING, named("ExecutionDoesNotExist")]);
  assert.instance(error, Failure);
  assert.match(String(error), "The training w1 is gone: the local stack was restarted meanwhile");
});

test("gives the remedy of training's own error, or else says to start it again", async () => {
  const failed = async (error: string, cause: string) =>
    ((await follow("training", [{ status: "FAILED", error, cause }])) as Failure).message;
  assert.is(
    await failed("TrainingError", '{"errorMessage":"There are no events: upload some"}'),
    "The training w1 failed: There are no events: upload some",
  );
  assert.is(
    await failed("States.TaskFailed", "no memory"),
    "The training w1 failed: States.TaskFailed: no memory. The same command starts it again and resumes where it stopped",
  );
});

test("passes on an error that is a bug", async () => {
  assert.is(await follow("training", [named("ValidationException")]).then(String), "ValidationException: said by AWS");
});

test("takes the reason of a failure from the function, or else from Step Functions", () => {
  assert.is(endText({ error: "E", cause: '{"errorMessage":"no data"}' }), "no data");
  assert.is(endText({ error: "States.Timeout", cause: undefined }), "States.Timeout");
  assert.is(endText({ error: undefined, cause: undefined }), "no reason given");
});

test.run();
