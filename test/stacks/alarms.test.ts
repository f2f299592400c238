import * as assert from "uvu/assert";
import { SEARCH_STAGES } from "../../lib/platform/contract/search.ts";
import { degradedMetric } from "../../lib/platform/telemetry/emf.ts";
import { suite } from "../suite.ts";
import { example, type Stack } from "./support.ts";

const test = suite("stacks: alarms and dashboard");

const all = example("search-gateway", "all-options");
const minimal = example("search-gateway", "minimal");

interface Alarm {
  metric_query: Array<{
    expression?: string;
    metric?: { namespace: string; metric_name: string; dimensions: Record<string, string>; stat: string };
  }>;
  threshold: number;
  alarm_actions: string[];
  treat_missing_data: string;
}
const alarm = (stack: Stack, id: string) => stack.resource<Alarm>("aws_cloudwatch_metric_alarm", `alarm-${id}`);

const ALWAYS = [
  "alarm-request-log-delivery",
  "alarm-request-log-errors",
  "alarm-request-log-lost",
  "alarm-request-log-unreadable",
  "alarm-search-events-delivery",
  "alarm-search-events-unstored",
  "alarm-search-gateway-5xx",
  "alarm-search-gateway-p99",
  "alarm-search-gateway-throttles",
];

test("creates an alarm for each problem that the configuration can have", () => {
  assert.equal(minimal.ids("aws_cloudwatch_metric_alarm"), ALWAYS);
  const models = ["dense-large-en-v1-5", "sparse-v3", "ext-embed-english-v3", "ext-embed-multilingual-v3"];
  assert.equal(
    all.ids("aws_cloudwatch_metric_alarm"),
    [
      ...ALWAYS,
      "alarm-cluster-scaler-errors",
      "alarm-suggestions-errors",
      "alarm-search-gateway-degraded-embedding",
      "alarm-search-gateway-degraded-personalization",
      ...models.flatMap((model) => [`alarm-model-${model}-errors`, `alarm-model-${model}-latency`]),
    ].sort(),
  );
});

test("notifies the project's topic with every alarm, and triggers none on missing data", () => {
  for (const id of all.ids("aws_cloudwatch_metric_alarm")) {
    const { alarm_actions, treat_missing_data } = all.resource<Alarm>("aws_cloudwatch_metric_alarm", id);
    assert.equal(
      [alarm_actions, treat_missing_data],
      [["arn:aws:sns:eu-west-1:123456789012:all-options-alarms"], "notBreaching"],
    );
  }
});

test("watches the metric of degraded responses that the functions write", () => {
  const [line = ""] = degradedMetric("all-options", [{ stage: "embedding", target: "t", reason: "r", effect: "e" }]);
  const { _aws, Project, Stage } = JSON.parse(line);
  const [{ Namespace, Dimensions, Metrics }] = _aws.CloudWatchMetrics;
  const metric = alarm(all, "search-gateway-degraded-embedding").metric_query[0]?.metric;
  assert.equal(
    [metric?.namespace, metric?.metric_name, metric?.dimensions],
    [Namespace, Metrics[0].Name, { Project, Stage }],
  );
  assert.equal(Dimensions, [["Project", "Stage"]]);
});

test("sets a model's latency threshold in its service's unit", () => {
  const latency = (model: string) => {
    const { metric_query, threshold } = alarm(all, `model-${model}-latency`);
    const metric = metric_query[0]?.metric;
    return [metric?.namespace, metric?.metric_name, threshold];
  };
  assert.equal(latency("sparse-v3"), ["AWS/SageMaker", "ModelLatency", 2_000_000]);
  assert.equal(latency("ext-embed-english-v3"), ["AWS/Bedrock", "InvocationLatency", 2_000]);
});

test("computes the error rate only from 20 calls on", () => {
  const { metric_query } = alarm(all, "search-gateway-5xx");
  assert.equal(
    metric_query.map(({ expression, metric }) => expression ?? metric?.metric_name),
    ["5XXError", "Count", "IF(calls >= 20, 100 * failed / calls, 0)"],
  );
});

test("shows on the dashboard every stage that can be degraded, and no models if there are none", () => {
  const widgets = (stack: Stack) => {
    const { dashboard_body } = stack.resource<{ dashboard_body: string }>("aws_cloudwatch_dashboard", "dashboard");
    return JSON.parse(dashboard_body).widgets as Array<{ properties: { title: string; metrics: unknown[][] } }>;
  };
  const degraded = widgets(all).find(({ properties }) => properties.title.startsWith("Degraded"));
  assert.equal(
    degraded?.properties.metrics.map((row) => row[5]),
    [...SEARCH_STAGES],
  );
  assert.is(widgets(all).length, 8);
  assert.is(widgets(minimal).length, 6);
});

test.run();
