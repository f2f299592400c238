import type { Stage } from "../../lib/http/degradation.ts";
import { dashboard, type Widget } from "../constructs/dashboard.ts";
import type { ProjectStack } from "../project-stack.ts";
import { gatewayMetrics } from "./metrics.ts";

/** Stages that an answer of the search gateway can lack. */
const STAGES: readonly Stage[] = ["embedding", "personalization", "profile", "depth"];

/** One page: is it up, is it fast, what is missing from answers, which part is to blame. */
export function gatewayDashboard(stack: ProjectStack): void {
  dashboard(stack, "search-gateway", gatewayWidgets(stack));
}

function gatewayWidgets(stack: ProjectStack): Widget[] {
  const { api, lambda, degraded, delivery, unreadableLines, models } = gatewayMetrics(stack);
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
    { title: "Degraded answers by stage", metrics: STAGES.map((stage) => [degraded(stage), stage]) },
    {
      title: "api-router",
      metrics: [
        [lambda("api-router", "ConcurrentExecutions", "Maximum"), "at a time"],
        [lambda("api-router", "Throttles"), "throttled"],
        [lambda("api-router", "Errors"), "errors"],
      ],
    },
    ...(models.length === 0
      ? []
      : [
          {
            title: "Models, p99 (SageMaker in microseconds, Bedrock in milliseconds)",
            metrics: models.map(({ name, latency }): Widget["metrics"][number] => [latency.metric, name]),
          },
          {
            title: "Model calls and errors",
            metrics: models.flatMap(({ name, calls, errors }): Widget["metrics"] => [
              [calls, `${name} calls`],
              ...errors.map((metric) => [metric, `${name} ${metric.name}`] as const),
            ]),
          },
        ]),
    {
      title: "Request log",
      metrics: [
        [lambda("log-handler", "Errors"), "errors of log-handler"],
        [unreadableLines, "unreadable lines"],
        [delivery("DeliveryToS3.DataFreshness", "Maximum"), "seconds behind"],
      ],
    },
  ];
}
