import * as assert from "uvu/assert";
import type { Change, PlanJson, PlannedResource } from "../../../../cli/plan/summary/plan-json.ts";
import { summarize } from "../../../../cli/plan/summary/summary.ts";
import { recommendation } from "../../../fixtures/configurations/configurations.ts";
import { synth } from "../../../stacks/support.ts";
import { suite } from "../../../suite.ts";

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

const summaryOf = (plan: PlanJson) => summarize([{ stack: "s", plan }], { notes: [], standing: [] });
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
  test(`reports ${given.join(" and ")} as ${action}`, () => {
    assert.equal(actions(planOf(["aws_iam_role", given])), [action]);
  });
}

test("reports an existing resource as imported, whatever changes in it", () => {
  assert.equal(actions(planOf(["aws_iam_role", ["update"], { importing: { id: "x" } }])), ["import"]);
});

test("leaves out unchanged resources and data sources", () => {
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
    { notes: ["n"], standing: [] },
  );
  assert.equal(both.counts, { create: 2, update: 2, replace: 0, delete: 0, forget: 0, import: 0 });
  assert.equal([both.changes, both.notes], [true, ["n"]]);
  assert.is(summaryOf(planOf(["aws_iam_role", ["no-op"]])).changes, false);
});

test("a stack is new if it only creates, and has nothing yet", () => {
  const create = planOf(["aws_iam_role", ["create"]]);
  const resources = [
    { address: "aws_kms_key.k", mode: "managed" as const, type: "aws_kms_key", name: "k", values: {} },
  ];
  const grown = { ...create, prior_state: { values: { root_module: { resources } } } };
  const isNew = (plan: PlanJson) => summaryOf(plan).stacks[0]?.isNew;
  assert.equal([isNew(create), isNew(grown), isNew(planOf())], [true, false, false]);
  const { idleCosts, idleCostsBefore } = summaryOf(grown);
  assert.equal([idleCosts.length, idleCostsBefore.map(({ what }) => what)], [0, ["KMS key"]]);
});

test("counts changed outputs alone as a change", () => {
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
  ["aws_lambda_event_source_mapping", "interruption"],
  ["aws_sfn_state_machine", "interruption"],
] as const) {
  test(`warns about deleting and replacing ${type} (${kind}), but not about changing it`, () => {
    const risks = (...given: string[]) => summaryOf(planOf([type, given])).stacks[0]?.changes[0]?.risk?.kind;
    assert.equal([risks("delete"), risks("delete", "create"), risks("update")], [kind, kind, undefined]);
  });
}

/** A plan for a resource that personalize-manager creates. */
const personalizePlan = (kind: string, ...given: string[]) =>
  planOf(["aws_lambda_invocation", given, { before: { input: JSON.stringify({ kind, name: "shop-x" }) } }]);

for (const [kind, risk] of [
  ["dataset_group", "data"],
  ["dataset", "data"],
  ["event_tracker", "interruption"],
  ["filter", "interruption"],
  ["campaign", "interruption"],
  ["schema", undefined],
] as const) {
  test(`${kind} of Personalize: deletion and replacement are ${risk ? `called out (${risk})` : "nothing to fear"}`, () => {
    const risks = (...given: string[]) => summaryOf(personalizePlan(kind, ...given)).stacks[0]?.changes[0]?.risk?.kind;
    assert.equal([risks("delete"), risks("delete", "create"), risks("update")], [risk, risk, undefined]);
  });
}

test("does not warn about a filter that is replaced, new one first, but does for a campaign", () => {
  const risk = (kind: string) => summaryOf(personalizePlan(kind, "create", "delete")).stacks[0]?.changes[0]?.risk?.kind;
  assert.equal([risk("filter"), risk("campaign")], [undefined, "interruption"]);
});

test("does not warn about a deleted invocation of another function", () => {
  const foreign = planOf(["aws_lambda_invocation", ["delete"], { before: { input: "no JSON" } }]);
  assert.is(summaryOf(foreign).stacks[0]?.changes[0]?.risk, undefined);
});

test("does not warn about a deleted resource that holds nothing", () => {
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

test("lists what costs money while idle, most expensive first, and groups similar resources", () => {
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

test("lists campaigns with the billed requests per second, and tables as billed by storage", () => {
  const manager = (name: string, input: object) =>
    ["aws_lambda_invocation", name, { input: JSON.stringify(input) }] as const;
  const plan = planned(
    ["aws_dynamodb_table", "table-users", { point_in_time_recovery: [{ enabled: true }] }],
    ["aws_dynamodb_table", "table-plain", { point_in_time_recovery: [{ enabled: false }] }],
    ["aws_kms_key", "key", {}],
    [...manager("campaign-a", { kind: "campaign", name: "shop-similar-items", min_provisioned_tps: 3 })],
    [...manager("campaign-b", { kind: "campaign", name: "shop-ranking", min_provisioned_tps: 1 })],
    [...manager("filter-x", { kind: "filter", name: "shop-x-1" })],
  );
  assert.equal(
    summaryOf(plan).idleCosts.map(({ what, names, amount, billed }) => [what, names, amount, billed]),
    [
      ["campaigns", ["shop-similar-items"], "at least 3 TPS", "by the hour"],
      ["campaigns", ["shop-ranking"], "at least 1 TPS", "by the hour"],
      ["KMS key", ["key"], "1", "by the month"],
      ["table with point-in-time recovery", ["table-users"], "1", "by the stored gigabyte and month"],
      ["table", ["table-plain"], "1", "by the stored gigabyte and month"],
    ],
  );
});

test("recognizes the campaigns of the stack", () => {
  const stack = synth("recommendation", { config: recommendation() });
  const ids = stack.ids("aws_lambda_invocation").filter((id) => id.startsWith("campaign-"));
  assert.ok(ids.length > 0);
  const values = ids.map((id) => stack.resource<{ input: string }>("aws_lambda_invocation", id));
  const plan = planned(
    ...values.map((one, index): [string, string, PlannedResource["values"]] => [
      "aws_lambda_invocation",
      ids[index] ?? "",
      one,
    ]),
  );
  assert.equal(
    summaryOf(plan).idleCosts.flatMap(({ what, names }) => names.map(() => what)),
    ids.map(() => "campaigns"),
  );
});

test("lists interface endpoints with the zones that they are billed in; gateway endpoints are free", () => {
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
  assert.equal(
    summaryOf(plan).idleCosts.map(({ names, amount }) => [names, amount]),
    [
      [["secretsmanager"], "1 in 2 zones"],
      [["sagemaker.runtime"], "1 in 1 zones"],
    ],
  );
});

test("says with how many instances a changed model endpoint starts, and which one is deleted when", () => {
  const plan = (...actions: string[]): PlanJson => {
    const fleet = [{ initial_instance_count: 4, instance_type: "ml.g5.2xlarge" }];
    const { resource_changes = [] } = planOf(
      ["aws_sagemaker_endpoint", actions, { before: { name: "shop-old" }, after: { name: "shop-new" } }],
      ["aws_sagemaker_endpoint_configuration", ["create", "delete"], { after: { production_variants: fleet } }],
    );
    const named = ["m-endpoint", "m-configuration"];
    return { resource_changes: resource_changes.map((one, index) => ({ ...one, name: named[index] ?? "" })) };
  };
  const beside = summaryOf(plan("create", "delete"));
  assert.match(beside.notes.join(), "shop-new starts with 4 × ml.g5.2xlarge beside shop-old, which is deleted once");
  assert.is(beside.stacks[0]?.changes[0]?.risk, undefined);
  assert.match(summaryOf(plan("update")).notes.join(), "shop-new is updated: 4 × ml.g5.2xlarge replace its instances");
  assert.equal(summaryOf(plan("no-op")).notes, []);
});

test.run();
