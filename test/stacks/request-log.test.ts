import * as assert from "uvu/assert";
import { requestLogFilterPattern } from "../../lib/platform/request-log/kinds.ts";
import { requestLogLine } from "../../lib/search/request-log/line.ts";
import { eventLine } from "../../lib/search/request-log/ubi-event.ts";
import { recommendation } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";
import { example, ref, type Stack, synth } from "./support.ts";

const test = suite("stacks: request log");

const all = example("search-gateway", "all-options");
const service = synth("recommendation", { config: recommendation() });

interface Table {
  partition_keys: unknown;
  parameters: Record<string, string>;
  storage_descriptor: { location: string; columns: Array<{ name: string; type: string }> };
}

const line: Record<string, unknown> = JSON.parse(
  requestLogLine(
    {
      endpoint: "search",
      index: "books",
      key: "shop",
      queryId: "q",
      clientId: null,
      userId: null,
      userQuery: "x".repeat(20_000),
      query: {},
      settings: null,
      personalized: false,
      stages: [{ name: "variety", milliseconds: 1, moved: 1, added: 0, hidden: 0, failed: false }],
      rules: ["red-lamp-week"],
      segments: ["vip"],
      degraded: [],
      milliseconds: {},
      timestamp: new Date(),
      objectIdField: "_id",
      responseId: "r",
      hitIds: [],
      total: 0,
    },
    { application: "test", userId: "plain", queryText: true },
  ),
);

test("has a column for every field of a line, in the line's order", () => {
  const { columns } = all.resource<Table>("aws_glue_catalog_table", "log-table").storage_descriptor;
  assert.equal(
    columns.map(({ name }) => name),
    Object.keys(line),
  );
  const attributes = columns.find(({ name }) => name === "query_attributes")?.type ?? "";
  for (const field of Object.keys(line.query_attributes as object)) assert.match(attributes, `${field}:`);
});

test("finds days by the folders that the stream writes", () => {
  const { parameters, storage_descriptor } = all.resource<Table>("aws_glue_catalog_table", "log-table");
  const bucket = "all-options-relevance-123456789012-eu-west-1";
  assert.is(storage_descriptor.location, `s3://${bucket}/logs/search/`);
  assert.is(parameters["storage.location.template"], `s3://${bucket}/logs/search/day=$${ref("day")}/`);
  const stream = all.resource<{ extended_s3_configuration: Record<string, unknown> }>(
    "aws_kinesis_firehose_delivery_stream",
    "delivery",
  );
  const { prefix, compression_format, bucket_arn } = stream.extended_s3_configuration;
  assert.equal(
    [prefix, compression_format, bucket_arn],
    ["logs/search/day=!{timestamp:yyyy-MM-dd}/", "GZIP", `arn:aws:s3:::${bucket}`],
  );
});

test("has a column for every field of an event, and finds days by the folders of the event stream", () => {
  const { parameters, storage_descriptor } = all.resource<Table>("aws_glue_catalog_table", "events-table");
  const event = {
    action_name: "click",
    timestamp: "2026-11-23T08:00:00Z",
    session_id: "s",
    message_type: "CONVERSION",
    event_attributes: {
      object: { object_id: "b1", object_id_type: "book", object_id_field: "_id", internal_id: "b1" },
      position: { ordinal: 1 },
    },
  };
  const source = { key: "shop", clientId: null, receivedAt: new Date() };
  const stored = JSON.parse(eventLine(event, source, { application: "test", userId: "plain", queryText: true }));
  assert.equal(storage_descriptor.columns.map(({ name }) => name).toSorted(), Object.keys(stored).toSorted());
  const attributes = storage_descriptor.columns.find(({ name }) => name === "event_attributes")?.type ?? "";
  for (const field of Object.keys(event.event_attributes.object)) assert.match(attributes, `${field}:string`);
  const bucket = "s3://all-options-relevance-123456789012-eu-west-1";
  assert.is(parameters["storage.location.template"], `${bucket}/logs/events/day=$${ref("day")}/`);
  const stream = all.resource<{ extended_s3_configuration: { prefix: string } }>(
    "aws_kinesis_firehose_delivery_stream",
    "events-delivery",
  );
  assert.is(stream.extended_s3_configuration.prefix, "logs/events/day=!{timestamp:yyyy-MM-dd}/");
});

test("keeps lines that Firehose does not take, and brings them back to the function that could not deliver them", () => {
  const queue = ref("aws_sqs_queue.request-log-failed.arn");
  const { qualifier, destination_config } = all.resource<{ qualifier: string; destination_config: unknown }>(
    "aws_lambda_function_event_invoke_config",
    "request-log-on-failure",
  );
  // CloudWatch Logs invokes the alias, so the configuration must be that of the alias.
  assert.equal(
    [qualifier, destination_config],
    [ref("aws_lambda_alias.log-handler-live.name"), { on_failure: { destination: queue } }],
  );
  const again = all.resource("aws_lambda_event_source_mapping", "request-log-again");
  assert.equal([again.event_source_arn, again.function_name], [queue, ref("aws_lambda_alias.log-handler-live.arn")]);
  const { visibility_timeout_seconds, message_retention_seconds } = all.resource("aws_sqs_queue", "request-log-failed");
  const { timeout } = all.resource<{ timeout: number }>("aws_lambda_function", "log-handler");
  assert.equal([visibility_timeout_seconds, message_retention_seconds], [6 * timeout, 14 * 86_400]);
});

test("encrypts the streams", () => {
  for (const id of ["delivery", "events-delivery"]) {
    const { server_side_encryption } = all.resource("aws_kinesis_firehose_delivery_stream", id);
    assert.equal(server_side_encryption, {
      enabled: true,
      key_arn: ref("aws_kms_key.log-key.arn"),
      key_type: "CUSTOMER_MANAGED_CMK",
    });
  }
});

test("delivers the request log as that of the search gateway, and keeps its lines for three days where they are written", () => {
  const subscription = service.resource("aws_cloudwatch_log_subscription_filter", "request-log");
  const handler = ref("aws_lambda_alias.recommendation-log-handler-live.arn");
  assert.equal(
    [subscription.filter_pattern, subscription.destination_arn],
    [requestLogFilterPattern("recommendation"), handler],
  );
  const log = service.resource("aws_cloudwatch_log_group", "recommendation-api-log");
  assert.equal(
    [subscription.log_group_name, log.retention_in_days],
    [ref("aws_cloudwatch_log_group.recommendation-api-log.name"), 3],
  );
  const stream = service.resource<{ name: string; extended_s3_configuration: { prefix: string } }>(
    "aws_kinesis_firehose_delivery_stream",
    "logs-delivery",
  );
  assert.is(stream.extended_s3_configuration.prefix, "logs/recommendations/day=!{timestamp:yyyy-MM-dd}/");
  const { environment } = service.resource<{ environment: { variables: object } }>(
    "aws_lambda_function",
    "recommendation-log-handler",
  );
  assert.equal(environment.variables, { PROJECT_NAME: "my-project", FIREHOSE_STREAM: stream.name });
  const queue = ref("aws_sqs_queue.request-log-failed.arn");
  const failure = service.resource("aws_lambda_function_event_invoke_config", "request-log-on-failure");
  assert.equal(failure.destination_config, { on_failure: { destination: queue } });
});

test("lets recommendation-api read the key of user ids if they are hashed", () => {
  const policyOf = (of: Stack) =>
    of.resource<{ policy: string }>("aws_iam_role_policy", "recommendation-api-policy").policy;
  assert.not.match(policyOf(service), "secretsmanager");
  const hashed = synth("recommendation", { config: recommendation([["api.yaml", ["logging"], { user_id: "hmac" }]]) });
  assert.match(
    policyOf(hashed),
    /"secretsmanager:GetSecretValue".*:secret:\/relevance\/my-project\/search-gateway\/user-id-key-\?{6}/,
  );
});

test.run();
