import { modelEndpoints, referencedModels, rerankModels } from "../../lib/infrastructure/endpoints.ts";
import { SEARCH_STAGES } from "../../lib/platform/contract/search.ts";
import { ENDPOINT_VARIANT } from "../../lib/platform/naming/names.ts";
import { UNREADABLE_LINES } from "../../lib/platform/request-log/kinds.ts";
import { MODEL_PAUSED } from "../../lib/platform/telemetry/emf.ts";
import { UNSTORED_EVENTS } from "../../lib/search/request-log/line.ts";
import { isEndpointModel, type ModelName } from "../../lib/settings/embedding-models.ts";
import { bedrockModelId, endpointName, type ServedModel } from "../../lib/settings/model-sources.ts";
import { RERANKER } from "../../lib/settings/rerank-models.ts";
import { dashboard, metricsOf, requestWidgets, serviceMetrics, type Widget } from "../constructs/metrics.ts";
import { gatewayInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";

/** Returns the gateway's metrics, for alarms and the dashboard. */
export function gatewayMetrics(stack: ProjectStack) {
  const metrics = serviceMetrics(stack, "search-gateway");
  return {
    ...metrics,
    unreadableLines: metrics.own(UNREADABLE_LINES),
    unstoredEvents: metrics.own(UNSTORED_EVENTS),
    models: referencedModels(gatewayInput(stack.input).gateway).map((name) => ({
      name,
      ...modelMetrics(stack, name),
      paused: metrics.own(MODEL_PAUSED, { Model: name }),
    })),
    rerankers: rerankModels(gatewayInput(stack.input).gateway).map((name) => ({
      name,
      ...(name === RERANKER ? endpointMetrics(stack, name) : hostedMetrics(name)),
      paused: metrics.own(MODEL_PAUSED, { Model: name }),
    })),
  };
}

/** Returns latency and errors of a model, as its host reports them. */
function modelMetrics(stack: ProjectStack, name: ModelName) {
  if (isEndpointModel(name)) return endpointMetrics(stack, name);
  return hostedMetrics(bedrockModelId(name, gatewayInput(stack.input).gateway.models));
}

/** Returns those of a model on an endpoint. The latency is that of queries, if it is apart. */
function endpointMetrics({ names, input }: ProjectStack, name: ServedModel) {
  const { found, gateway } = gatewayInput(input);
  const [latency, ...apart] = modelEndpoints(gateway)
    .filter(({ model, path }) => model === name && path[0] === name)
    .map((endpoint) => {
      const EndpointName = endpointName(endpoint, names);
      const VariantName = found.modelEndpoints?.[EndpointName]?.variant ?? ENDPOINT_VARIANT;
      return metricsOf("AWS/SageMaker", { EndpointName, VariantName });
    });
  if (!latency) throw new Error(`model.yaml has no ${name}`);
  return {
    // SageMaker reports microseconds.
    latency: { metric: latency("ModelLatency", "p99"), perSecond: 1_000_000 },
    calls: [latency, ...apart].map((metric) => metric("Invocations", "Sum")),
    errors: [latency, ...apart].flatMap((metric) => [
      metric("Invocation5XXErrors", "Sum"),
      metric("InvocationModelErrors", "Sum"),
    ]),
  };
}

function hostedMetrics(ModelId: string) {
  const metric = metricsOf("AWS/Bedrock", { ModelId });
  return {
    latency: { metric: metric("InvocationLatency", "p99"), perSecond: 1_000 },
    calls: [metric("Invocations", "Sum")],
    errors: [metric("InvocationServerErrors", "Sum"), metric("InvocationThrottles", "Sum")],
  };
}

/** Adds a dashboard of one page: availability, latency, degraded answers, and the parts behind them. */
export function gatewayDashboard(stack: ProjectStack): void {
  dashboard(stack, "search-gateway", gatewayWidgets(stack));
}

function gatewayWidgets(stack: ProjectStack): Widget[] {
  const metrics = gatewayMetrics(stack);
  const { lambda, delay, unreadableLines, unstoredEvents } = metrics;
  const models = [...metrics.models, ...metrics.rerankers];
  return [
    ...requestWidgets(metrics, "api-router", SEARCH_STAGES),
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
