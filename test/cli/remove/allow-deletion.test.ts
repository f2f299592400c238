import * as assert from "uvu/assert";
import type { PlanJson } from "../../../cli/plan/summary/plan-json.ts";
import { refuseMore } from "../../../cli/remove/allow-deletion.ts";
import { Failure } from "../../../lib/platform/failure.ts";
import { suite } from "../../suite.ts";

const test = suite("allowing the deletion of data");

const planOf = (type: string, ...actions: readonly string[]): PlanJson => ({
  resource_changes: [
    { address: `${type}.x`, mode: "managed", type, name: "x", change: { actions, before: {}, after: {} } },
  ],
});

for (const [what, plan] of [
  ["an update of an invocation", planOf("aws_lambda_invocation", "update")],
  ["newer code of the function", planOf("aws_lambda_function", "update")],
  ["its alias on that code", planOf("aws_lambda_alias", "update")],
  ["what stays as it is", planOf("aws_iam_role", "no-op")],
  ["the alias of the key, which an interrupted uninstallation has removed", planOf("aws_kms_alias", "create")],
  ["a plan without any change", {}],
] as const) {
  test(`applies ${what} without showing it`, () => refuseMore(plan));
}

for (const [what, plan, shown] of [
  ["a deleted invocation", planOf("aws_lambda_invocation", "delete"), "aws_lambda_invocation.x (delete)"],
  [
    "a replaced invocation",
    planOf("aws_lambda_invocation", "delete", "create"),
    "aws_lambda_invocation.x (delete, create)",
  ],
  ["a new invocation", planOf("aws_lambda_invocation", "create"), "aws_lambda_invocation.x (create)"],
  ["a replaced function", planOf("aws_lambda_function", "delete", "create"), "aws_lambda_function.x (delete, create)"],
  ["a changed policy", planOf("aws_iam_role_policy", "update"), "aws_iam_role_policy.x (update)"],
  ["a deleted log group", planOf("aws_cloudwatch_log_group", "delete"), "aws_cloudwatch_log_group.x (delete)"],
] as const) {
  test(`refuses ${what} with a message that names it and what to do`, () => {
    assert.throws(
      () => refuseMore(plan),
      (error: unknown) =>
        error instanceof Failure && error.message.includes(shown) && error.message.includes("Run `relevance deploy`"),
    );
  });
}

test.run();
