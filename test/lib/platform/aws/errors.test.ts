import * as assert from "uvu/assert";
import {
  CallTimeout,
  denialOf,
  type FailureKind,
  failureKind,
  ignoreNotFound,
  isTransient,
  reasonOf,
} from "../../../../lib/platform/aws/errors.ts";
import { suite } from "../../../suite.ts";

const test = suite("AWS errors");

const named = (name: string, more: object = {}) => Object.assign(new Error("told"), { name, ...more });
const status = (httpStatusCode: number) => ({ $metadata: { httpStatusCode } });

const KINDS: [FailureKind, ...unknown[]][] = [
  [
    "throttled",
    named("ThrottlingException", status(400)),
    named("ProvisionedThroughputExceededException", status(400)),
    named("RequestLimitExceeded"),
    named("SlowDown", status(503)),
    named("X", status(429)),
  ],
  [
    "unavailable",
    named("InternalServerError"),
    named("ServiceUnavailableException"),
    named("X", status(502)),
    named("Error", { code: "ECONNREFUSED" }),
    // The SDK renames socket errors; its own TimeoutError, without a code, is a connection that was never opened.
    named("TimeoutError", { code: "ECONNRESET" }),
    named("TimeoutError", { code: "EPIPE" }),
    named("TimeoutError"),
    named("AbortError", { code: "ECONNRESET" }),
  ],
  ["timeout", named("AbortError"), new CallTimeout("late")],
  [
    "absent",
    named("ResourceNotFoundException"),
    named("ParameterNotFound"),
    named("NoSuchKey", status(404)),
    named("InvalidVpcID.NotFound"),
  ],
  ["busy", named("ResourceInUseException")],
  [
    "denied",
    named("AccessDeniedException", status(400)),
    named("AccessDenied", status(403)),
    named("ExpiredTokenException"),
    named("CredentialsProviderError"),
    named("OptInRequired"),
    named("X", status(403)),
  ],
  ["refused", named("InvalidInputException", status(400)), named("ValidationException")],
  [
    "failed",
    named("LimitExceededException", status(400)),
    named("NoSuchBucket", status(404)),
    named("TypeError"),
    "text",
  ],
];

for (const [kind, ...errors] of KINDS) {
  for (const error of errors) {
    test(`${error instanceof Error ? `${error.name} ${JSON.stringify(error)}` : error} is ${kind}`, () => {
      assert.is(failureKind(error), kind);
      assert.is(isTransient(error), kind === "throttled" || kind === "unavailable");
    });
  }
}

test("a reason does not quote the error's own text", () => {
  const error = named("ThrottlingException", { message: "arn:aws:x" });
  assert.is(reasonOf("the item store", error), "the item store is throttled");
});

test("a missing resource is undefined, and any other error is rethrown", async () => {
  assert.is(await ignoreNotFound(Promise.reject(named("ResourceNotFoundException"))), undefined);
  const denied = named("AccessDeniedException");
  assert.is(await ignoreNotFound(Promise.reject(denied)).catch((error: unknown) => error), denied);
});

test("says why a call was denied, and nothing of other errors", () => {
  const expired = "The SSO session has expired";
  assert.is(denialOf(named("ExpiredTokenException")), "expired");
  assert.is(denialOf(named("CredentialsProviderError")), "missing");
  assert.is(denialOf(Object.assign(new Error(expired), { name: "CredentialsProviderError" })), "expired");
  assert.is(denialOf(named("AccessDeniedException")), "forbidden");
  assert.is(denialOf(named("ThrottlingException")), undefined);
  assert.is(denialOf("AccessDenied"), undefined);
});

test.run();
