import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { leftoversIn, strangersIn, taintedIn, writeLeftovers } from "../../../cli/apply/leftovers.ts";
import type { PlanJson } from "../../../cli/plan/summary/plan-json.ts";
import type { Diagnostic } from "../../../cli/terraform/messages.ts";
import { namesOf } from "../../../lib/platform/naming/names.ts";
import { scratchFolder } from "../../../packages/processes/scratch.ts";
import { TEST_OUTPUT } from "../../fixtures/env.ts";
import { suite } from "../../suite.ts";

const test = suite("leftovers of interrupted deployments");

const planOf = (type: string, after: object, actions = ["create"], before: object | null = null): PlanJson => ({
  resource_changes: [{ address: `${type}.x`, mode: "managed", type, name: "x", change: { actions, before, after } }],
});
const failed = (address: string, summary: string): Diagnostic => ({ severity: "error", address, summary });
const ACCOUNT = "123456789012";
const inRegion = (region: string) => ({
  account: ACCOUNT,
  sdk: { region },
  names: namesOf({ project: "shop", account: ACCOUNT, region }),
});
const PLACE = inRegion("eu-west-1");

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
  ["aws_cloudwatch_log_stream", { log_group_name: "/aws/x", name: "errors" }, "/aws/x:errors"],
  ["aws_kinesis_firehose_delivery_stream", { name: "d" }, `arn:aws:firehose:eu-west-1:${ACCOUNT}:deliverystream/d`],
  ["aws_sfn_state_machine", { name: "m" }, `arn:aws:states:eu-west-1:${ACCOUNT}:stateMachine:m`],
  ["aws_sns_topic", { name: "t" }, `arn:aws:sns:eu-west-1:${ACCOUNT}:t`],
  ["aws_sqs_queue", { name: "q" }, `https://sqs.eu-west-1.amazonaws.com/${ACCOUNT}/q`],
  ["aws_lambda_permission", { function_name: "f", statement_id: "S" }, "f/S"],
  ["aws_lambda_permission", { function_name: "f", qualifier: "live", statement_id: "S" }, "f:live/S"],
  ["aws_api_gateway_base_path_mapping", { domain_name: "search.example.org", base_path: null }, "search.example.org/"],
  ["aws_api_gateway_stage", { rest_api_id: "a1", stage_name: "v1" }, "a1/v1"],
  ["aws_api_gateway_usage_plan_key", { usage_plan_id: "p", key_id: "k" }, "p/k"],
] as const) {
  test(`imports ${type} by name: ${id}`, () => {
    const found = leftoversIn([failed(`${type}.x`, "X already exists")], planOf(type, after), PLACE);
    assert.equal(found, [{ to: `${type}.x`, id }]);
  });
}

for (const [type, after, id, args] of [
  [
    "aws_security_group",
    { name: "shop-functions", vpc_id: "vpc-1", description: "d" },
    "data.aws_security_group.x.id",
    { name: "shop-functions", vpc_id: "vpc-1" },
  ],
  ["aws_secretsmanager_secret", { name: "s" }, "data.aws_secretsmanager_secret.x.arn", { name: "s" }],
  [
    "aws_vpc_endpoint",
    { vpc_id: "vpc-1", service_name: "com.amazonaws.eu-west-1.sagemaker.runtime", subnet_ids: [] },
    "data.aws_vpc_endpoint.x.id",
    { vpc_id: "vpc-1", service_name: "com.amazonaws.eu-west-1.sagemaker.runtime" },
  ],
  [
    "aws_vpc_security_group_ingress_rule",
    { security_group_id: "sg-1", tags: { Name: "shop-rule" } },
    "data.aws_vpc_security_group_rules.x.ids[0]",
    {
      filter: [
        { name: "group-id", values: ["sg-1"] },
        { name: "tag:Name", values: ["shop-rule"] },
      ],
    },
  ],
] as const) {
  test(`finds ${type} with a data source, because AWS assigns its id`, async () => {
    const found = leftoversIn([failed(`${type}.x`, "X already exists")], planOf(type, after), PLACE);
    const folder = scratchFolder(TEST_OUTPUT, "leftovers");
    await writeLeftovers(folder, found);
    assert.equal(JSON.parse(readFileSync(join(folder, "leftovers.tf.json"), "utf8")), {
      data: { [id.split(".")[1] ?? ""]: { x: args } },
      import: [{ to: `${type}.x`, id: `\${${id}}` }],
    });
    rmSync(folder, { recursive: true });
  });
}

test("imports a queue in China by the host name of that partition", () => {
  const found = leftoversIn(
    [failed("aws_sqs_queue.x", "QueueAlreadyExists")],
    planOf("aws_sqs_queue", { name: "q" }),
    inRegion("cn-north-1"),
  );
  assert.equal(found, [{ to: "aws_sqs_queue.x", id: `https://sqs.cn-north-1.amazonaws.com.cn/${ACCOUNT}/q` }]);
});

test("imports an event source mapping by the id in AWS's message, not by the request's", () => {
  const type = "aws_lambda_event_source_mapping";
  const id = "14e0db71-5d35-4eb5-b481-8945cf9d10c2";
  const told = (detail: string) =>
    leftoversIn([{ ...failed(`${type}.x`, "creating Lambda Event Source Mapping"), detail }], planOf(type, {}), PLACE);
  const text =
    "RequestID: 0b1c2d3e-0000-4000-8000-1a2b3c4d5e6f, ResourceConflictException: The event source arn and function " +
    "provided mapping already exists.";
  assert.equal(told(`${text} Please update or delete the existing mapping with UUID ${id}`), [{ to: `${type}.x`, id }]);
  assert.equal(told(text), []);
});

for (const text of [
  "EntityAlreadyExists: Role with name x already exists.",
  "ResourceAlreadyExistsException: The specified log group already exists",
  "ResourceConflictException: Function already exist: x",
  "BucketAlreadyOwnedByYou",
  'ValidationException: Cannot create already existing endpoint "arn:x"',
  "ResourceInUseException: Table already exists: t",
  "ResourceInUseException: Firehose d under accountId 123456789012 already exists",
  "StateMachineAlreadyExists: State Machine Already Exists: 'arn:x'",
  "QueueAlreadyExists: A queue already exists with the same name and a different value for attribute X",
  "InvalidParameter: Topic already exists with different tags",
  "ResourceConflictException: The statement id (ApiGateway) provided already exists.",
  "ConflictException: Stage already exists",
  "ConflictException: Schedule s already exists.",
  "InvalidGroup.Duplicate: The security group 'shop-functions' already exists",
  "InvalidParameter: private-dns-enabled cannot be set because there is already a conflicting DNS domain for x in the VPC",
]) {
  test(`recognizes "already exists": ${text}`, () => {
    const diagnostics = [failed("aws_iam_role.x", text)];
    assert.is(leftoversIn(diagnostics, planOf("aws_iam_role", { name: "n" }), PLACE).length, 1);
  });
}

test("ignores other errors, other resources, and resources that were not to be created", () => {
  const plan = planOf("aws_iam_role", { name: "n" });
  assert.equal(leftoversIn([failed("aws_iam_role.x", "AccessDenied")], plan, PLACE), []);
  assert.equal(leftoversIn([failed("aws_iam_role.y", "already exists")], plan, PLACE), []);
  const update = planOf("aws_iam_role", { name: "n" }, ["update"]);
  assert.equal(leftoversIn([failed("aws_iam_role.x", "already exists")], update, PLACE), []);
});

test("does not import a tainted resource, because it is in the state", () => {
  const plan = planOf("aws_iam_role", { name: "n" }, ["create", "delete"]);
  const tainted = {
    resource_changes: (plan.resource_changes ?? []).map((one) => ({
      ...one,
      action_reason: "replace_because_tainted",
    })),
  };
  const diagnostics = [failed("aws_iam_role.x", "already exists")];
  assert.equal([leftoversIn(diagnostics, tainted, PLACE), taintedIn(diagnostics, tainted)], [[], ["aws_iam_role.x"]]);
  assert.equal(taintedIn(diagnostics, plan), []);
  assert.equal(taintedIn([failed("aws_iam_role.x", "AccessDenied")], tainted), []);
});

test("does not import a resource whose type or name gives no id", () => {
  assert.equal(leftoversIn([failed("aws_sns_topic.x", "already exists")], planOf("aws_sns_topic", {}), PLACE), []);
  assert.equal(leftoversIn([failed("aws_iam_role.x", "already exists")], planOf("aws_iam_role", {}), PLACE), []);
});

test("writes the import file, and removes it when nothing is left to import", async () => {
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

test("imports only resources with the project's tag", () => {
  assert.equal(strangers({ tags_all: { project: "shop" } }), []);
  assert.equal(strangers({ tags_all: { project: "other" } }), ["aws_iam_role.x"]);
  assert.equal(strangers({ tags_all: null }), ["aws_iam_role.x"]);
});

test("imports resources of a type without tags", () => {
  assert.equal(strangers({}), []);
});

test("does not check the tags of other resources", () => {
  assert.equal(strangersIn(planOf("aws_iam_role", {}, ["update"], { tags_all: {} }), [], TAG), []);
});

test.run();
