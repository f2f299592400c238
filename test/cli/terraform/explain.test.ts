import * as assert from "uvu/assert";
import { functionErrorIn, terraformFailure, waitOf } from "../../../cli/terraform/explain.ts";
import { type Diagnostic, diagnosticsOf } from "../../../cli/terraform/messages.ts";
import { suite } from "../../suite.ts";

const test = suite("Terraform's errors");

const place = { stack: "storage", directory: "dist/x", program: "terraform" };
const explain = (summary: string, detail?: string, address?: string) =>
  terraformFailure([{ severity: "error", summary, ...(detail && { detail }), ...(address && { address }) }], place)
    .message;

const LOCK = `Error message: operation error S3: PutObject, https response error StatusCode: 412
Lock Info:
  ID:        0b1c2d3e-0000-4000-8000-1a2b3c4d5e6f
  Path:      bucket/teams/search/storage.tfstate
  Operation: OperationTypeApply
  Who:       ci@build-7
  Version:   1.11.4
  Created:   2026-01-02 03:04:05.678 +0000 UTC
  Info:`;

test("says who locked the state, when and for what, and how to unlock it", () => {
  assert.is(
    explain("Error acquiring the state lock", LOCK),
    "Stack storage: its state is locked by ci@build-7 since 2026-01-02 03:04:05.678 +0000 UTC (apply). " +
      "Wait until that finishes, then run the command again.\n" +
      "If it no longer runs: `terraform -chdir=dist/x force-unlock 0b1c2d3e-0000-4000-8000-1a2b3c4d5e6f`",
  );
});

test("shows Terraform's message if a lock does not name its owner", () => {
  assert.match(
    explain("Error acquiring the state lock", "permission denied"),
    /does not name its owner\n(.*\n)* {2}permission denied/,
  );
});

for (const [what, summary, advice] of [
  [
    "expired credentials",
    "ExpiredToken: The provided token has expired.",
    "the AWS credentials have expired: get new ones",
  ],
  [
    "expired credentials while it ran",
    "ExpiredTokenException: The security token included in the request is expired",
    "expired: get new ones",
  ],
  ["an expired single sign-on", "the SSO session has expired or is invalid: token expired", "aws sso login"],
  ["no credentials", "No valid credential sources found", "there are no AWS credentials: set AWS_PROFILE"],
  [
    "another account",
    "AWS account ID not allowed: 210987654321",
    "to account 210987654321 during the run: use one account",
  ],
  ["a stale plan", "Saved plan is stale", "somebody changed the stack after it was planned"],
  ["a moved state", "Backend configuration changed", "`terraform -chdir=dist/x init -migrate-state`"],
  ["a missing state bucket", 'S3 bucket "shop-state" does not exist.', "`relevance init-state` to create it"],
  [
    "a lock file of another provider",
    "Failed to query available provider packages: locked provider registry.terraform.io/hashicorp/aws 6.20.0 does not " +
      "match\nconfigured version constraint 5.100.0; must use terraform init -upgrade",
    "dist/x/.terraform.lock.hcl names AWS provider 6.20.0, but Relevance uses exactly 5.100.0: delete that file",
  ],
  [
    "state of a newer provider",
    "Resource instance managed by newer provider version",
    "its state was written by a newer AWS provider",
  ],
  ["no registry", "Failed to query available provider packages", "set TF_PROVIDER_MIRROR"],
  [
    "a missing permission",
    "AccessDenied: User: arn:x is not authorized to perform: kms:CreateKey",
    "`relevance permissions` prints all required ones",
  ],
] as const) {
  test(`says what to do about ${what}`, () => {
    const text = explain(summary);
    assert.ok(text.startsWith("Stack storage: "), text);
    assert.match(text, advice);
  });
}

test("shows a missing permission", () => {
  assert.match(explain("x", "is not authorized to perform: kms:CreateKey"), "kms:CreateKey");
});

test("shows where any other error happened, its text, and that running again resumes", () => {
  assert.is(
    explain("creating SageMaker Endpoint: LimitExceeded", "quota of 0", "aws_sagemaker_endpoint.x"),
    "Stack storage failed. Completed changes are in the state: fix the problem and run the command again.\n" +
      "  aws_sagemaker_endpoint.x: creating SageMaker Endpoint: LimitExceeded\n  quota of 0",
  );
});

test("reads diagnostics from JSON lines, and reports only the errors", () => {
  const line = (severity: string, summary: string) =>
    JSON.stringify({ type: "diagnostic", diagnostic: { severity, summary, detail: "" } });
  const found = diagnosticsOf(`{"type":"version"}\nnoise\n${line("warning", "w")}\n${line("error", "e")}`, "");
  assert.equal(
    found.map(({ severity, summary }) => [severity, summary]),
    [
      ["warning", "w"],
      ["error", "e"],
    ],
  );
  assert.match(terraformFailure(found, place).message, /\n {2}e$/);
});

test("reads diagnostics from framed text on standard error", () => {
  const text = "╷\n│ Warning: w\n╵\n╷\n│ Error: no such file\n│ \n│ more of it\n╵\n";
  assert.equal(diagnosticsOf("", text), [{ severity: "error", summary: "no such file\n\nmore of it" }]);
});

test("says how to see more if Terraform failed without a message", () => {
  assert.match(terraformFailure(diagnosticsOf("", ""), place).message, "TF_LOG=debug");
});

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
