import { CloudwatchDashboard } from "@cdktf/provider-aws/lib/cloudwatch-dashboard/index.js";
import type { Service } from "../../lib/naming/names.ts";
import type { ProjectStack } from "../project-stack.ts";
import type { Metric } from "./alarm.ts";

const WIDTH = 8;
const HEIGHT = 6;
const COLUMNS = 24 / WIDTH;

/** One graph of a dashboard. */
export interface Widget {
  title: string;
  metrics: Array<readonly [metric: Metric, label: string]>;
}

/** A service's dashboard: its graphs in rows of three. */
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
