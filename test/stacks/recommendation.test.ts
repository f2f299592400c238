import * as assert from "uvu/assert";
import * as v from "valibot";
import { CampaignInput } from "../../lib/personalize/resources/request.ts";
import { UNCOUNTED_EVENTS, UNSTORED_RECORDS } from "../../lib/recommendation/ingest/uploads.ts";
import { UNTRAINED_ENGINES } from "../../lib/recommendation/training/check-data.ts";
import { HELD_MODELS } from "../../lib/recommendation/training/switch-version.ts";
import { TrainingInput } from "../../lib/recommendation/training/task.ts";
import { OWN_METRICS } from "../../stacks/recommendation/metrics.ts";
import { recommendation } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";
import { ref, type Stack, synth } from "./support.ts";

const test = suite("stacks: recommendation");

const stack = synth("recommendation", { config: recommendation() });
const changed = (...changes: Parameters<typeof recommendation>[0] & object) =>
  synth("recommendation", { config: recommendation(changes) });
const key = ref("aws_kms_key.log-key.arn");

interface Invocation {
  input: string;
  triggers?: object;
  depends_on: string[];
}
const CAMPAIGNS = ["campaign-personalized-ranking", "campaign-similar-items", "campaign-user-personalization"];
const campaign = (id: string, of: Stack = stack) => of.resource<Invocation>("aws_lambda_invocation", id);
const machine = (name: string, of: Stack = stack) =>
  JSON.parse(of.resource<{ definition: string }>("aws_sfn_state_machine", `${name}-machine`).definition);
const alarm = (name: string) =>
  stack.resource<{ metric_query: Array<{ metric?: Array<{ metric_name: string; dimensions: object }> }> }>(
    "aws_cloudwatch_metric_alarm",
    `alarm-${name}`,
  );

test("has a campaign for each configured recipe, with an input that personalize-manager accepts", () => {
  assert.equal(stack.ids("aws_lambda_invocation"), CAMPAIGNS);
  const { recipe, name, min_provisioned_tps } = v.parse(
    CampaignInput,
    JSON.parse(campaign("campaign-similar-items").input),
  );
  assert.equal([recipe, name, min_provisioned_tps], ["similar_items", "my-project-similar-items", 1]);
  const one = changed(
    ["solution.yaml", ["recipes", "similar_items"], undefined],
    ["campaign.yaml", ["campaigns", "similar_items"], undefined],
  );
  assert.equal(one.ids("aws_lambda_invocation"), [CAMPAIGNS[0], CAMPAIGNS[2]]);
});

test("updates only the campaign, in place, when its TPS change", () => {
  const more = changed(["campaign.yaml", ["campaigns", "similar_items", "min_provisioned_tps"], 7]);
  const before = campaign("campaign-similar-items");
  const after = campaign("campaign-similar-items", more);
  assert.equal({ ...after, input: "" }, { ...before, input: "" });
  assert.is(after.triggers, undefined);
  assert.equal(JSON.parse(after.input), { ...JSON.parse(before.input), min_provisioned_tps: 7 });
  assert.is(
    more.text.replace(after.input.replaceAll('"', '\\"'), ""),
    stack.text.replace(before.input.replaceAll('"', '\\"'), ""),
  );
});

test("creates the training table before a campaign, and removes it after", () => {
  for (const id of CAMPAIGNS) assert.ok(campaign(id).depends_on.includes("aws_dynamodb_table.table-training"), id);
});

test("bills tables by request, and makes each recoverable and encrypted", () => {
  assert.is(stack.ids("aws_dynamodb_table").length, 6);
  for (const id of stack.ids("aws_dynamodb_table")) {
    const table = stack.resource("aws_dynamodb_table", id);
    assert.is(table.billing_mode, "PAY_PER_REQUEST", id);
    assert.equal(table.point_in_time_recovery, { enabled: true }, id);
    assert.equal(table.server_side_encryption, { enabled: true, kms_key_arn: key }, id);
    assert.equal(table.lifecycle, { prevent_destroy: true }, id);
  }
  assert.equal(stack.resource("aws_dynamodb_table", "table-ingestion").ttl, {
    attribute_name: "EXPIRES",
    enabled: true,
  });
  assert.equal(stack.resource("aws_kms_key", "log-key").lifecycle, { prevent_destroy: true });
});

// A partition takes 1,000 writes a second, whatever its sort keys.
test("counts the events of a day in several partitions of the table ingestion", () => {
  const { hash_key, range_key } = stack.resource("aws_dynamodb_table", "table-ingestion");
  assert.equal([hash_key, range_key], ["DAY_SHARD", undefined]);
});

test("sends changes to at most two instances of one function, and to the dead letters after 50 tries", () => {
  const queue = stack.resource<{ redrive_policy: string; visibility_timeout_seconds: number }>(
    "aws_sqs_queue",
    "changes",
  );
  assert.equal(JSON.parse(queue.redrive_policy), {
    deadLetterTargetArn: ref("aws_sqs_queue.dead-letters.arn"),
    maxReceiveCount: 50,
  });
  const mapping = stack.resource("aws_lambda_event_source_mapping", "changes-to-realtime-sync");
  assert.equal(mapping.scaling_config, { maximum_concurrency: 2 });
  assert.equal(mapping.function_response_types, ["ReportBatchItemFailures"]);
  assert.is(mapping.function_name, ref("aws_lambda_alias.realtime-sync-live.arn"));
  const { timeout } = stack.resource<{ timeout: number }>("aws_lambda_function", "realtime-sync");
  assert.is.not(queue.visibility_timeout_seconds < 6 * timeout, true);
  const dead = stack.resource("aws_sqs_queue", "dead-letters");
  assert.is(dead.message_retention_seconds, 14 * 86_400);
  assert.is(stack.resource("aws_sqs_queue", "changes").message_retention_seconds, 14 * 86_400);
  assert.equal(
    [dead.sqs_managed_sse_enabled, stack.resource("aws_sqs_queue", "changes").sqs_managed_sse_enabled],
    [true, true],
  );
});

test("delivers events where ETL reads them, and makes training wait for the stream's buffer", () => {
  const stream = stack.resource<{
    extended_s3_configuration: { prefix: string; buffering_interval: number };
    server_side_encryption: object;
  }>("aws_kinesis_firehose_delivery_stream", "delivery");
  assert.is(stream.extended_s3_configuration.prefix, "events/!{timestamp:yyyy/MM/dd/HH}/");
  const { environment } = stack.resource<{ environment: { variables: Record<string, string> } }>(
    "aws_lambda_function",
    "training",
  );
  assert.is(
    Number(environment.variables.INGESTION_BUFFER_SECONDS),
    stream.extended_s3_configuration.buffering_interval,
  );
  assert.equal(stream.server_side_encryption, { enabled: true, key_arn: key, key_type: "CUSTOMER_MANAGED_CMK" });
});

test("logs every state machine without its data, and traces it", () => {
  assert.equal(stack.ids("aws_sfn_state_machine"), [
    "etl-machine",
    "teardown-machine",
    "training-machine",
    "training-report-machine",
  ]);
  for (const id of stack.ids("aws_sfn_state_machine")) {
    const { logging_configuration, tracing_configuration } = stack.resource("aws_sfn_state_machine", id);
    assert.equal(logging_configuration, {
      include_execution_data: false,
      level: "ERROR",
      log_destination: `${ref(`aws_cloudwatch_log_group.${id}-log.arn`)}:*`,
    });
    assert.equal(tracing_configuration, { enabled: true });
    assert.is(stack.resource("aws_cloudwatch_log_group", `${id}-log`).kms_key_id, key);
  }
});

test("gives etl a disk for data that exceeds its engine's memory, and memory beside the engine's", () => {
  const etl = stack.resource<{
    memory_size: number;
    ephemeral_storage: object;
    environment: { variables: Record<string, string> };
  }>("aws_lambda_function", "etl");
  // Source: Lambda Developer Guide, quotas: the largest disk.
  assert.equal(etl.ephemeral_storage, { size: 10_240 });
  const engine = Number(etl.environment.variables.ENGINE_MEMORY_MB);
  assert.ok(engine > 0 && engine <= etl.memory_size / 2, `${engine} MB of ${etl.memory_size} MB`);
});

test("limits the concurrency of ETL's maps, and calls functions through their aliases", () => {
  const { States } = machine("training");
  const maps = Object.values(States as Record<string, { Type: string; MaxConcurrency?: number }>).filter(
    ({ Type }) => Type === "Map",
  );
  assert.equal(
    maps.map(({ MaxConcurrency }) => MaxConcurrency),
    [20, 20, 20],
  );
  const called = [...JSON.stringify(States).matchAll(/"FunctionName":"([^"]+)"/g)].map(([, arn]) => arn);
  assert.equal(
    [...new Set(called)].sort(),
    ["etl", "training"].map((name) => `arn:aws:lambda:eu-west-1:123456789012:function:my-project-${name}:live`),
  );
});

test("schedules training only if configured", () => {
  assert.equal(stack.ids("aws_scheduler_schedule"), []);
  const schedule = { schedule: "cron(0 3 ? * SUN *)", training_mode: "init" };
  const clocked = changed(["solution.yaml", ["retraining"], schedule]);
  const { schedule_expression, target } = clocked.resource<{
    schedule_expression: string;
    target: { arn: string; input: string };
  }>("aws_scheduler_schedule", "retraining-schedule");
  assert.is(schedule_expression, "cron(0 3 ? * SUN *)");
  assert.is(target.arn, ref("aws_sfn_state_machine.training-machine.arn"));
  assert.equal(v.parse(TrainingInput, JSON.parse(target.input)), { mode: "init", accept_missing: false });
});

test("checks how every training ends, and reports failures and rejected models", () => {
  const { event_pattern } = stack.resource<{ event_pattern: string }>("aws_cloudwatch_event_rule", "training-ends");
  assert.equal(JSON.parse(event_pattern).detail, {
    stateMachineArn: ["arn:aws:states:eu-west-1:123456789012:stateMachine:my-project-training"],
    status: ["SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"],
  });
  const { States } = machine("training-report");
  assert.equal(
    States.HowDidItEnd.Choices.map(({ Next }: { Next: string }) => Next),
    ["NothingToTell", "TellOfFailure", "TellOfHeldModels"],
  );
  // AWS fails an execution that compares a missing field; the local interpreter does not.
  type Test = { Variable: string; IsPresent?: boolean };
  const guarded = States.HowDidItEnd.Choices.flatMap(({ And }: { And?: Test[] }) => (And ? [And] : []));
  assert.equal(
    guarded.map((tests: Test[]) => tests.map(({ Variable, IsPresent }) => [Variable, IsPresent === true])),
    ["error", "output"].map((name) => [
      [`$.detail.${name}`, true],
      [`$.detail.${name}`, false],
    ]),
  );
  for (const state of ["TellOfFailure", "TellOfHeldModels"]) {
    assert.is(States[state].Parameters.TopicArn, "arn:aws:sns:eu-west-1:123456789012:my-project-alarms");
    assert.ok(States[state].Parameters.Subject.length <= 100);
  }
});

test("watches metrics that exist with its alarms", () => {
  assert.equal(OWN_METRICS, {
    heldModels: HELD_MODELS,
    uncountedEvents: UNCOUNTED_EVENTS,
    untrainedEngines: UNTRAINED_ENGINES,
    unstoredRecords: UNSTORED_RECORDS,
  });
  const first = (name: string) => alarm(name).metric_query[0]?.metric?.[0] ?? alarm(name).metric_query[0]?.metric;
  assert.match(
    JSON.stringify(first("campaign-personalized-ranking-latency")),
    /GetPersonalizedRankingLatency.*campaign\/my-project-personalized-ranking|campaign\/my-project-personalized-ranking.*GetPersonalizedRankingLatency/,
  );
  assert.match(JSON.stringify(first("realtime-dead-letters")), /my-project-realtime-dead-letters/);
  assert.match(JSON.stringify(first("held-model-similar-items")), /similar_items/);
  assert.match(JSON.stringify(first("training-failed")), /ExecutionsFailed/);
  assert.match(
    JSON.stringify(first("recommendation-log-lost")),
    /DestinationDeliveryFailures.*my-project-recommendation-log-handler|my-project-recommendation-log-handler.*DestinationDeliveryFailures/,
  );
});

test("sends every alarm to the project's topic", () => {
  for (const id of stack.ids("aws_cloudwatch_metric_alarm")) {
    const { alarm_actions } = stack.resource("aws_cloudwatch_metric_alarm", id);
    assert.equal(alarm_actions, ["arn:aws:sns:eu-west-1:123456789012:my-project-alarms"], id);
  }
});

test("has its own dashboard besides the search gateway's", () => {
  const { dashboard_name, dashboard_body } = stack.resource<{ dashboard_name: string; dashboard_body: string }>(
    "aws_cloudwatch_dashboard",
    "dashboard",
  );
  assert.is(dashboard_name, "my-project-recommendation-eu-west-1");
  const titles = JSON.parse(dashboard_body).widgets.map(
    ({ properties }: { properties: { title: string } }) => properties.title,
  );
  for (const title of [
    "Campaigns, average ms",
    "Changes of users and items on their way",
    "Trainings",
    "Models held back",
  ]) {
    assert.ok(titles.includes(title), title);
  }
});

test("protects every route of the API with its key, and creates the event stream before the API", () => {
  const { body } = stack.resource<{ body: string }>("aws_api_gateway_rest_api", "api");
  assert.equal(
    Object.keys(JSON.parse(body).paths).filter((path) => !["/", "/{proxy+}"].includes(path)),
    [
      "/delete-items",
      "/log-event",
      "/mcp",
      "/rank-items-to-user",
      "/recommend-for-placement",
      "/recommend-items-to-item",
      "/recommend-items-to-user",
      "/update-items",
      "/update-users",
    ],
  );
  const { depends_on } = stack.resource<{ depends_on: string[] }>("aws_api_gateway_stage", "api-stage");
  assert.ok(depends_on.includes("aws_kinesis_firehose_delivery_stream.delivery"));
  assert.equal(stack.ids("aws_api_gateway_usage_plan_key"), ["usage-plan-key-1"]);
});

test("does not name roles like those of the search gateway's stack", () => {
  const names = (of: Stack) =>
    of.ids("aws_iam_role").map((id) => of.resource<{ name: string }>("aws_iam_role", id).name);
  const both = changed(["solution.yaml", ["retraining"], { schedule: "rate(7 days)" }]);
  assert.is(new Set(names(both)).size, names(both).length);
  assert.not(names(both).includes("my-project-scheduler-eu-west-1"));
});

test.run();
