import { CloudwatchDashboard } from "#aws/cloudwatch-dashboard";
import type { Stage } from "../../lib/platform/http/degradation.ts";
import { API_STAGE, type FunctionName, type Service, type StreamName } from "../../lib/platform/naming/names.ts";
import { METRIC_NAMESPACE } from "../../lib/platform/telemetry/emf.ts";
import type { ProjectStack } from "../project-stack.ts";

/** A CloudWatch metric. */
export interface Metric {
  namespace: string;
  name: string;
  dimensions: Readonly<Record<string, string>>;
  /** Such as "Sum" or "p99". */
  stat: string;
}

/** Returns a function that names a metric of these dimensions, and its statistic. */
export const metricsOf =
  (namespace: string, dimensions: Metric["dimensions"]) =>
  (name: string, stat: string): Metric => ({ namespace, name, dimensions, stat });

/** Returns the metrics that both services have, for alarms and the dashboard. */
export function serviceMetrics({ names, input }: ProjectStack, service: Service) {
  const Project = input.config.project.project_name;
  const own = (name: string, dimensions: Metric["dimensions"] = {}) =>
    metricsOf(METRIC_NAMESPACE, { Project, ...dimensions })(name, "Sum");
  return {
    api: metricsOf("AWS/ApiGateway", { ApiName: names.api(service), Stage: API_STAGE }),
    lambda: (fn: FunctionName, name: string, stat = "Sum") =>
      metricsOf("AWS/Lambda", { FunctionName: names.function(fn) })(name, stat),
    /** A metric that the service itself emits. */
    own,
    degraded: (stage: Stage) => own("Degraded", { Stage: stage }),
    /** Age in seconds of the oldest record that a stream has not yet written to the bucket. */
    delay: (stream: StreamName) =>
      metricsOf("AWS/Firehose", { DeliveryStreamName: names.stream(stream) })("DeliveryToS3.DataFreshness", "Maximum"),
  };
}

/** The metrics of {@link serviceMetrics}. */
type ServiceMetrics = ReturnType<typeof serviceMetrics>;

const WIDTH = 8;
const HEIGHT = 6;
const COLUMNS = 24 / WIDTH;

/** One graph of a dashboard. */
export interface Widget {
  title: string;
  metrics: Array<readonly [metric: Metric, label: string]>;
}

/** Returns the first graphs of each dashboard: requests, latency, degraded answers and the function. */
export function requestWidgets(
  { api, lambda, degraded }: ServiceMetrics,
  fn: FunctionName,
  stages: readonly Stage[],
): Widget[] {
  return [
    {
      title: "Requests",
      metrics: [
        [api("Count", "Sum"), "all"],
        [api("4XXError", "Sum"), "4xx"],
        [api("5XXError", "Sum"), "5xx"],
      ],
    },
    {
      title: "Latency, ms",
      metrics: [
        [api("Latency", "p50"), "p50"],
        [api("Latency", "p99"), "p99"],
        [api("IntegrationLatency", "p99"), "function p99"],
      ],
    },
    { title: "Degraded answers by stage", metrics: stages.map((stage) => [degraded(stage), stage]) },
    {
      title: fn,
      metrics: [
        [lambda(fn, "ConcurrentExecutions", "Maximum"), "at a time"],
        [lambda(fn, "Throttles"), "throttled"],
        [lambda(fn, "Errors"), "errors"],
      ],
    },
  ];
}

/** Adds a service's dashboard, with three graphs in a row. */
export function dashboard(stack: ProjectStack, service: Service, graphs: readonly Widget[]): void {
  const { region } = stack.input.discovery;
  const widgets = graphs.map(({ title, metrics }, index) => ({
    type: "metric",
    x: (index % COLUMNS) * WIDTH,
    y: Math.floor(index / COLUMNS) * HEIGHT,
    width: WIDTH,
    height: HEIGHT,
    properties: { title, region, view: "timeSeries", period: 300, metrics: metrics.map(toRow) },
  }));
  new CloudwatchDashboard(stack, "dashboard", {
    dashboardName: stack.names.dashboard(service),
    dashboardBody: JSON.stringify({ widgets }),
  });
}

function toRow([{ namespace, name, dimensions, stat }, label]: readonly [Metric, string]) {
  return [namespace, name, ...Object.entries(dimensions).flat(), { stat, label }];
}
