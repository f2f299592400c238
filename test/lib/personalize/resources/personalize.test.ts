import { DescribeCampaignCommand, type PersonalizeClient } from "@aws-sdk/client-personalize";
import type { SSMClient } from "@aws-sdk/client-ssm";
import * as assert from "uvu/assert";
import { createHandler } from "../../../../functions/personalize-manager/handler.ts";
import { ssmPointers } from "../../../../lib/personalize/resources/managing.ts";
import { personalizeOf } from "../../../../lib/personalize/resources/personalize.ts";
import type { Deadline } from "../../../../lib/platform/resilience/deadline.ts";
import { suite } from "../../../suite.ts";
import { failureOf } from "./managed.ts";

const test = suite("calls of Personalize within an invocation");

// A real call's connection keeps the process alive; these calls have none.
const alive = setInterval(() => {}, 1_000);
test.after(() => clearInterval(alive));

const command = new DescribeCampaignCommand({ campaignArn: "arn" });

/** A client that never answers, and ends a call only when it is aborted. */
const silent = {
  send: (_: unknown, { abortSignal }: { abortSignal: AbortSignal }) =>
    new Promise((_resolve, reject) => {
      const end = () => reject(Object.assign(new Error("Request aborted"), { name: "AbortError" }));
      if (abortSignal.aborted) end();
      else abortSignal.addEventListener("abort", end);
    }),
};

test("a throttled call is not retried beyond the deadline", async () => {
  let left = 3_000;
  let calls = 0;
  const client = {
    async send() {
      calls += 1;
      left -= 1_000;
      throw Object.assign(new Error("Rate exceeded"), { name: "ThrottlingException" });
    },
  };
  const deadline = { remaining: () => Math.max(0, left) };
  const personalize = (of?: Deadline) =>
    personalizeOf(client as unknown as PersonalizeClient, { wait: async () => {}, ...(of && { deadline: of }) });
  left = 0;
  assert.is(await failureOf(personalize(deadline).send(command)), "ThrottlingException: Rate exceeded");
  assert.is(calls, 1);
  await failureOf(personalize().send(command));
  assert.is(calls, 9, "without one: eight attempts");
});

test("a call without an answer ends at the deadline, and the error says to apply again", async () => {
  const deadline = { remaining: () => 20 };
  const personalize = personalizeOf(silent as unknown as PersonalizeClient, { deadline });
  assert.match(
    await failureOf(personalize.send(command)),
    /^StillInProgress: An answer of Personalize is still OUTSTANDING: apply again/,
  );
  const pointers = ssmPointers(silent as unknown as SSMClient, deadline);
  assert.is(await failureOf(pointers.read("p")), "AbortError: Request aborted");
});

test("calls end before their invocation does", async () => {
  const deadlines: number[] = [];
  const env = { PROJECT_NAME: "shop", ACCOUNT_ID: "123456789012", AWS_REGION: "eu-west-1", TRAINING_TABLE: "t" };
  const handler = createHandler(env, (deadline) => {
    deadlines.push(deadline.remaining());
    return {
      personalize: personalizeOf(silent as unknown as PersonalizeClient, { deadline }),
      pointers: ssmPointers(silent as unknown as SSMClient, deadline),
      versionFor: async () => undefined,
    };
  });
  const failure = await failureOf(handler({ action: "describe" }, { getRemainingTimeInMillis: () => 3_050 }));
  assert.match(failure, "StillInProgress");
  const [left = 0] = deadlines;
  assert.ok(left > 0 && left <= 50, `${left} ms`);
});

test.run();
