import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { leftoversIn, strangersIn, taintedIn, writeLeftovers } from "../../../cli/terraform/leftovers.ts";
import type { Diagnostic } from "../../../cli/terraform/messages.ts";
import type { PlanJson } from "../../../lib/plan-summary/plan-json.ts";
import { scratchFolder } from "../../../local/process/scratch.ts";
import { TEST_OUTPUT } from "../../fixtures/env.ts";
import { suite } from "../../suite.ts";

const test = suite("what interrupted deployments leave");

const planOf = (type: string, after: object, actions = ["create"], before: object | null = null): PlanJson => ({
  resource_changes: [{ address: `${type}.x`, mode: "managed", type, name: "x", change: { actions, before, after } }],
});
const failed = (address: string, summary: string): Diagnostic => ({ severity: "error", address, summary });
const ACCOUNT = "123456789012";

for (const [type, after, id] of [
  ["aws_iam_role", { name: "shop-role" }, "shop-role"],
  ["aws_s3_bucket", { bucket: "shop-bucket" }, "shop-bucket"],
  ["aws_kms_alias", { name: "alias/shop" }, "alias/shop"],
  ["aws_cloudwatch_log_group", { name: "/aws/x" }, "/aws/x"],
  ["aws_lambda_function", { function_name: "shop-f" }, "shop-f"],
  ["aws_lambda_alias", { function_name: "shop-f", name: "live" }, "shop-f/live"],
  ["aws_sagemaker_model", { name: "m" }, "m"],
  ["aws_sagemaker_endpoint_configuration", { name: "c" }, "c"],
  ["aws_sagemaker_endpoint", { name: "e" }, "e"],
  ["aws_api_gateway_domain_name", { domain_name: "search.example.org" }, "search.example.org"],
  ["aws_scheduler_schedule", { name: "s" }, "default/s"],
  ["aws_glue_catalog_database", { name: "g" }, `${ACCOUNT}:g`],
  ["aws_glue_catalog_table", { database_name: "g", name: "t" }, `${ACCOUNT}:g:t`],
  ["aws_dynamodb_table", { name: "t" }, "t"],
] as const) {
  test(`${type} is imported by what it is named`, () => {
    const found = leftoversIn([failed(`${type}.x`, "X already exists")], planOf(type, after), ACCOUNT);
    assert.equal(found, [{ to: `${type}.x`, id }]);
  });
}

for (const text of [
  "EntityAlreadyExists: Role with name x already exists.",
  "ResourceAlreadyExistsException: The specified log group already exists",
  "ResourceConflictException: Function already exist: x",
  "BucketAlreadyOwnedByYou",
  'ValidationException: Cannot create already existing endpoint "arn:x"',
  "ResourceInUseException: Table already exists: t",
]) {
  test(`AWS says so: ${text}`, () => {
    const diagnostics = [failed("aws_iam_role.x", text)];
    assert.is(leftoversIn(diagnostics, planOf("aws_iam_role", { name: "n" }), ACCOUNT).length, 1);
  });
}

test("other errors, other resources, and those that were not to be created are none", () => {
  const plan = planOf("aws_iam_role", { name: "n" });
  assert.equal(leftoversIn([failed("aws_iam_role.x", "AccessDenied")], plan, ACCOUNT), []);
  assert.equal(leftoversIn([failed("aws_iam_role.y", "already exists")], plan, ACCOUNT), []);
  const update = planOf("aws_iam_role", { name: "n" }, ["update"]);
  assert.equal(leftoversIn([failed("aws_iam_role.x", "already exists")], update, ACCOUNT), []);
});

test("what is in the state already is not imported: tainted, it is kept", () => {
  const plan = planOf("aws_iam_role", { name: "n" }, ["create", "delete"]);
  const tainted = {
    resource_changes: (plan.resource_changes ?? []).map((one) => ({
      ...one,
      action_reason: "replace_because_tainted",
    })),
  };
  const diagnostics = [failed("aws_iam_role.x", "already exists")];
  assert.equal([leftoversIn(diagnostics, tainted, ACCOUNT), taintedIn(diagnostics, tainted)], [[], ["aws_iam_role.x"]]);
  assert.equal(taintedIn(diagnostics, plan), []);
  assert.equal(taintedIn([failed("aws_iam_role.x", "AccessDenied")], tainted), []);
});

test("a type or a name that says no id is none", () => {
  assert.equal(leftoversIn([failed("aws_sns_topic.x", "already exists")], planOf("aws_sns_topic", {}), ACCOUNT), []);
  assert.equal(leftoversIn([failed("aws_iam_role.x", "already exists")], planOf("aws_iam_role", {}), ACCOUNT), []);
});

test("they are imported by a file in the stack's folder, and no longer when there are none", async () => {
  const folder = scratchFolder(TEST_OUTPUT, "leftovers");
  const file = join(folder, "leftovers.tf.json");
  await writeLeftovers(folder, [{ to: "a.b", id: "c" }]);
  assert.equal(JSON.parse(readFileSync(file, "utf8")), { import: [{ to: "a.b", id: "c" }] });
  await writeLeftovers(folder, []);
  assert.not(existsSync(file));
  rmSync(folder, { recursive: true });
});

const TAG = { key: "project", value: "shop" };
const imported = [{ to: "aws_iam_role.x", id: "n" }];
const strangers = (before: object) => strangersIn(planOf("aws_iam_role", {}, ["update"], before), imported, TAG);

test("only what carries the project's tag is taken over", () => {
  assert.equal(strangers({ tags_all: { project: "shop" } }), []);
  assert.equal(strangers({ tags_all: { project: "other" } }), ["aws_iam_role.x"]);
  assert.equal(strangers({ tags_all: null }), ["aws_iam_role.x"]);
});

test("what has no tags at all is taken over", () => {
  assert.equal(strangers({}), []);
});

test("what is not imported is not asked for its tags", () => {
  assert.equal(strangersIn(planOf("aws_iam_role", {}, ["update"], { tags_all: {} }), [], TAG), []);
});

test.run();
