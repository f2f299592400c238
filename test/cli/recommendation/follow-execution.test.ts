import { DescribeExecutionCommand, type SFNClient } from "@aws-sdk/client-sfn";
import * as assert from "uvu/assert";
import { Failure } from "../../../cli/errors.ts";
import { followExecution, reasonOf, type Work } from "../../../cli/recommendation/follow-execution.ts";
import { suite } from "../../suite.ts";

const test = suite("following an execution");

const named = (name: string) => Object.assign(new Error("said by AWS"), { name });
const EXPIRED = named("ExpiredTokenException");

/** Follows an execution whose looks have these outcomes, one after another. Gives its output, or the error. */
async function follow(
  work: Work,
  looks: readonly (object | Error)[],
  lock: () => Promise<undefined> = async () => undefined,
) {
  const left = [...looks];
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
    intervalMs: 1,
    wait: async () => {},
  };
  return followExecution(work, { name: "w1", arn: "arn:w1" }, following).catch((error: unknown) => error);
}

const RUNNING = { status: "RUNNING" };
const DONE = { status: "SUCCEEDED", output: '{"recipes":[]}' };

test("credentials that expire meanwhile end the watching, not the training", async () => {
  const error = await follow("training", [RUNNING, EXPIRED]);
  assert.instance(error, Failure);
  assert.match(String(error), "The training w1 goes on, `relevance status` shows where it is. It cannot be watched: ");
  assert.match(String(error), "the AWS credentials have expired: get new ones");
});

test("so does a missing permission to read what the work says of itself", async () => {
  const error = await follow("teardown", [RUNNING], () => Promise.reject(named("AccessDeniedException")));
  assert.instance(error, Failure);
  assert.match(String(error), "The teardown w1 goes on, the same command follows it again.");
  assert.match(String(error), "may not call dynamodb:GetItem");
});

test("a look that fails for a moment is repeated", async () => {
  const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" });
  assert.equal(await follow("training", [reset, named("ThrottlingException"), DONE]), { recipes: [] });
});

test("a fault of ours stays one", async () => {
  assert.is(await follow("training", [named("ValidationException")]).then(String), "ValidationException: said by AWS");
});

test("the reason of a failure is the function's, else what Step Functions says, else that there is none", () => {
  assert.is(reasonOf({ error: "E", cause: '{"errorMessage":"no data"}' }), "no data");
  assert.is(reasonOf({ error: "States.Timeout", cause: undefined }), "States.Timeout");
  assert.is(reasonOf({ error: undefined, cause: undefined }), "no reason is given");
});

test.run();
