import * as assert from "uvu/assert";
import type { Change, PlanJson, PlannedResource } from "../../../lib/plan-summary/plan-json.ts";
import { summarize } from "../../../lib/plan-summary/summary.ts";
import { suite } from "../../suite.ts";

const test = suite("summary of a plan");

const planOf = (
  ...changes: readonly [type: string, actions: readonly string[], more?: Partial<Change>][]
): PlanJson => ({
  resource_changes: changes.map(([type, actions, more], index) => ({
    address: `${type}.r${index}`,
    mode: "managed",
    type,
    name: `r${index}`,
    change: { actions, before: {}, after: {}, ...more },
  })),
});

const summaryOf = (plan: PlanJson) => summarize([{ stack: "s", plan }], []);
const actions = (plan: PlanJson) => summaryOf(plan).stacks[0]?.changes.map(({ action }) => action);

for (const [given, action] of [
  [["create"], "create"],
  [["update"], "update"],
  [["delete"], "delete"],
  [["delete", "create"], "replace"],
  [["create", "delete"], "replace"],
  [["create", "forget"], "replace"],
  [["forget"], "forget"],
] as const) {
  test(`${given.join(" and ")} is ${action}`, () => {
    assert.equal(actions(planOf(["aws_iam_role", given])), [action]);
  });
}

test("a resource that is there already is imported, whatever changes in it", () => {
  assert.equal(actions(planOf(["aws_iam_role", ["update"], { importing: { id: "x" } }])), ["import"]);
});

test("unchanged resources and data sources are left out", () => {
  const data = planOf(["aws_vpc", ["read"]]);
  const read = { resource_changes: data.resource_changes?.map((one) => ({ ...one, mode: "data" as const })) ?? [] };
  assert.equal(actions(planOf(["aws_iam_role", ["no-op"]])), []);
  assert.equal(actions(read), []);
});

test("counts over all stacks, and says whether there are changes", () => {
  const plan = planOf(["aws_iam_role", ["create"]], ["aws_iam_role", ["update"]]);
  const both = summarize(
    [
      { stack: "a", plan },
      { stack: "b", plan },
    ],
    ["n"],
  );
  assert.equal(both.counts, { create: 2, update: 2, replace: 0, delete: 0, forget: 0, import: 0 });
  assert.equal([both.changes, both.notes], [true, ["n"]]);
  assert.is(summaryOf(planOf(["aws_iam_role", ["no-op"]])).changes, false);
});

test("changed outputs alone are a change", () => {
  assert.is(summaryOf({ output_changes: { url: { actions: ["update"] } } }).changes, true);
  assert.is(summaryOf({ output_changes: { url: { actions: ["no-op"] } } }).changes, false);
});

for (const [type, kind] of [
  ["aws_s3_bucket", "data"],
  ["aws_dynamodb_table", "data"],
  ["aws_kms_key", "data"],
  ["aws_secretsmanager_secret", "data"],
  ["aws_cloudwatch_log_group", "data"],
  ["aws_sqs_queue", "data"],
  ["aws_kinesis_firehose_delivery_stream", "data"],
  ["aws_lambda_invocation", "data"],
  ["aws_api_gateway_rest_api", "url"],
  ["aws_api_gateway_stage", "url"],
  ["aws_api_gateway_domain_name", "url"],
  ["aws_api_gateway_base_path_mapping", "url"],
  ["aws_route53_record", "url"],
  ["aws_api_gateway_api_key", "key"],
  ["aws_api_gateway_usage_plan", "key"],
  ["aws_api_gateway_usage_plan_key", "key"],
  ["aws_sagemaker_endpoint", "interruption"],
  ["aws_lambda_function", "interruption"],
  ["aws_lambda_alias", "interruption"],
] as const) {
  test(`${type}: deletion and replacement are called out (${kind}), a change is not`, () => {
    const risks = (...given: string[]) => summaryOf(planOf([type, given])).stacks[0]?.changes[0]?.risk?.kind;
    assert.equal([risks("delete"), risks("delete", "create"), risks("update")], [kind, kind, undefined]);
  });
}

test("what holds nothing is deleted without a warning", () => {
  assert.is(summaryOf(planOf(["aws_iam_role", ["delete"]])).stacks[0]?.changes[0]?.risk, undefined);
});

const planned = (
  ...resources: readonly [type: string, name: string, values: PlannedResource["values"]][]
): PlanJson => ({
  planned_values: {
    root_module: {
      resources: resources.map(([type, name, values]) => ({
        address: `${type}.${name}`,
        mode: "managed",
        type,
        name,
        values,
      })),
    },
  },
});

test("names what costs when idle, the dearest first, and puts alike things together", () => {
  const variant = { initial_instance_count: 2, instance_type: "ml.g5.xlarge" };
  const plan = planned(
    ["aws_kms_key", "key", {}],
    ["aws_kms_key", "log-key", {}],
    ["aws_iam_role", "role", {}],
    [
      "aws_lambda_provisioned_concurrency_config",
      "p",
      { function_name: "shop-api-router", provisioned_concurrent_executions: 3 },
    ],
    ["aws_sagemaker_endpoint_configuration", "c", { name: "shop-dense-1", production_variants: [variant] }],
  );
  assert.equal(
    summaryOf(plan).idleCosts.map(({ what, names, amount, billed }) => [what, names, amount, billed]),
    [
      ["SageMaker instances", ["shop-dense-1"], "2 × ml.g5.xlarge", "by the hour"],
      ["provisioned instances", ["shop-api-router"], "at least 3", "by the hour"],
      ["KMS key", ["key", "log-key"], "1", "by the month"],
    ],
  );
});

test("counts interface endpoints and the zones that they are billed in; gateway endpoints are free", () => {
  const endpoint = (service: string, subnet_ids: string[], vpc_endpoint_type = "Interface") =>
    [
      "aws_vpc_endpoint",
      service,
      { service_name: `com.amazonaws.eu-west-1.${service}`, subnet_ids, vpc_endpoint_type },
    ] as const;
  const plan = planned(
    [...endpoint("secretsmanager", ["a", "b"])],
    [...endpoint("sagemaker.runtime", ["a"])],
    [...endpoint("s3", [], "Gateway")],
  );
  const { interfaceEndpoints, idleCosts } = summaryOf(plan);
  assert.equal(interfaceEndpoints, { endpoints: 2, interfaces: 3 });
  assert.equal(
    idleCosts.map(({ names, amount }) => [names, amount]),
    [
      [["secretsmanager"], "1 in 2 zones"],
      [["sagemaker.runtime"], "1 in 1 zones"],
    ],
  );
});

test.run();
