import { CloudwatchDashboard } from "@cdktf/provider-aws/lib/cloudwatch-dashboard/index.js";
import type { Stage } from "../../lib/core/http/degradation.ts";
import type { FunctionName, Service } from "../../lib/core/naming/names.ts";
import type { ProjectStack } from "../project-stack.ts";
import type { Metric, ServiceMetrics } from "./metrics.ts";

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
