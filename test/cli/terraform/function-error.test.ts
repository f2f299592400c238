import * as assert from "uvu/assert";
import { terraformFailure } from "../../../cli/terraform/explain.ts";
import { functionErrorIn, waitOf } from "../../../cli/terraform/function-error.ts";
import type { Diagnostic } from "../../../cli/terraform/messages.ts";
import { suite } from "../../suite.ts";

const test = suite("errors of functions that Terraform invokes");

const thrown = (errorType: string, errorMessage: string): Diagnostic => ({
  severity: "error",
  summary: `invoking Lambda Function (shop-personalize-manager): ${JSON.stringify({
    errorType,
    errorMessage,
    trace: ["StillInProgress: (x)", "    at manage"],
  })}`,
  address: "aws_lambda_invocation.filter-read",
});
const IN_PROGRESS = thrown(
  "StillInProgress",
  "The filter shop-read-1 is still CREATE IN_PROGRESS: apply again; it resumes",
);

test("shows the function's own message instead of Lambda's response", () => {
  const place = { stack: "filters", directory: "dist/x", program: "terraform" };
  const reason = "The filter shop-read-1 is CREATE FAILED: (Items.X) is unknown";
  assert.is(
    terraformFailure([thrown("ManagerError", reason)], place).message,
    "Stack filters failed. Completed changes are in the state: fix the problem and run the command again.\n" +
      `  aws_lambda_invocation.filter-read: ${reason}`,
  );
});

test("ignores errors that are not from a function", () => {
  for (const summary of ["no such host", "{out of memory}", "invoking Lambda Function (f): {}", '["{}"]']) {
    assert.is(functionErrorIn({ severity: "error", summary }), undefined, summary);
  }
});

const DENIED = thrown(
  "AccessDeniedException",
  "User: arn:aws:sts::123456789012:assumed-role/shop-manager/shop-manager is not authorized to perform: personalize:CreateFilter",
);

test("waits only if every error is temporary", () => {
  const warning: Diagnostic = { severity: "warning", summary: "deprecated" };
  assert.is(waitOf([IN_PROGRESS, warning, IN_PROGRESS]), "work");
  assert.is(waitOf([IN_PROGRESS, DENIED]), "permissions");
  assert.is(waitOf([IN_PROGRESS, thrown("ManagerError", "is still CREATE IN_PROGRESS")]), undefined);
  assert.is(waitOf([DENIED, { severity: "error", summary: "timeout" }]), undefined);
  assert.is(
    waitOf([{ severity: "error", summary: "AccessDenied: not authorized to perform: iam:CreateRole" }]),
    undefined,
  );
  assert.is(waitOf([warning]), undefined);
});

test("does not blame the deployer's credentials for a function's missing permission", () => {
  const place = { stack: "filters", directory: "dist/x", program: "terraform" };
  const { message } = terraformFailure([DENIED], place);
  assert.match(
    message,
    "Stack filters: the role shop-manager lacks a permission, not your credentials. New permissions take a while",
  );
  assert.match(message, "personalize:CreateFilter");
});

test.run();
