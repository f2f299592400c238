import * as v from "valibot";
import { deadlineIn } from "../resilience/deadline.ts";
import { call } from "./call.ts";
import { type AwsVariables, signedCall } from "./signed-call.ts";

const Answer = v.object({ SecretString: v.string("the secret has no text") });

/** Milliseconds for reading a secret, with its retries. */
const TIMEOUT_MS = 5_000;

/** Returns a function that reads the current text of a secret. */
export function secretReader(variables: () => AwsVariables): (arn: string) => Promise<string> {
  return async (arn) => {
    const read = { service: "secretsmanager", operation: "GetSecretValue", input: { SecretId: arn } } as const;
    const limits = { deadline: deadlineIn(TIMEOUT_MS), timeoutMs: TIMEOUT_MS };
    return v.parse(Answer, await call(limits, (signal) => signedCall(read, variables(), signal))).SecretString;
  };
}
