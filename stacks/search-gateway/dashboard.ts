import type { Stage } from "../../lib/core/http/degradation.ts";
import { dashboard, requestWidgets, type Widget } from "../constructs/dashboard.ts";
import type { ProjectStack } from "../project-stack.ts";
import { gatewayMetrics } from "./metrics.ts";

/** Stages that degraded answers of the search gateway can lack. */
const STAGES: readonly Stage[] = ["embedding", "personalization", "profile", "depth"];

/** Adds a dashboard of one page: availability, latency, degraded answers, and the parts behind them. */
export function gatewayDashboard(stack: ProjectStack): void {
  dashboard(stack, "search-gateway", gatewayWidgets(stack));
}

function gatewayWidgets(stack: ProjectStack): Widget[] {
  const metrics = gatewayMetrics(stack);
  const { lambda, delay, unreadableLines, unstoredEvents, models } = metrics;
  return [
    ...requestWidgets(metrics, "api-router", STAGES),
    ...(models.length === 0
      ? []
      : [
          {
            title: "Models, p99 (SageMaker in microseconds, Bedrock in milliseconds)",
            metrics: models.map(({ name, latency }): Widget["metrics"][number] => [latency.metric, name]),
          },
          {
            title: "Model calls and errors",
            metrics: models.flatMap(({ name, calls, errors, paused }): Widget["metrics"] => [
              ...calls.map((metric) => [metric, `${name} calls`] as const),
              ...errors.map((metric) => [metric, `${name} ${metric.name}`] as const),
              [paused, `${name} paused`],
            ]),
          },
        ]),
    {
      title: "Request log",
      metrics: [
        [lambda("log-handler", "Errors"), "errors of log-handler"],
        [unreadableLines, "unreadable lines"],
        [delay("search-logs"), "seconds behind"],
      ],
    },
    {
      title: "Events of searches",
      metrics: [
        [lambda("search-events", "Errors"), "errors of search-events"],
        [unstoredEvents, "not stored"],
        [delay("search-events"), "seconds behind"],
      ],
    },
  ];
}
