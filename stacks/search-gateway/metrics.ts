import type { ModelName } from "../../lib/config/embedding-models.ts";
import { bedrockModelId, endpointName, isEndpointModel } from "../../lib/config/model-sources.ts";
import { ENDPOINT_VARIANT } from "../../lib/core/naming/names.ts";
import { MODEL_PAUSED } from "../../lib/core/telemetry/emf.ts";
import { modelEndpoints, referencedModels } from "../../lib/infrastructure/endpoints.ts";
import { UNREADABLE_LINES, UNSTORED_EVENTS } from "../../lib/search/request-log/line.ts";
import { metricsOf, serviceMetrics } from "../constructs/metrics.ts";
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
  };
}

/** Returns latency and errors of a model, as its host reports them. The latency is that of queries, if it is apart. */
function modelMetrics({ names, input }: ProjectStack, name: ModelName) {
  const { found, gateway } = gatewayInput(input);
  if (isEndpointModel(name)) {
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
  const metric = metricsOf("AWS/Bedrock", { ModelId: bedrockModelId(name, gateway.models) });
  return {
    latency: { metric: metric("InvocationLatency", "p99"), perSecond: 1_000 },
    calls: [metric("Invocations", "Sum")],
    errors: [metric("InvocationServerErrors", "Sum"), metric("InvocationThrottles", "Sum")],
  };
}
