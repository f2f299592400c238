import type { ModelName } from "../../lib/config/embedding-models.ts";
import { bedrockModelId, endpointName, isEndpointModel } from "../../lib/config/model-sources.ts";
import type { Stage } from "../../lib/core/http/degradation.ts";
import { API_STAGE, ENDPOINT_VARIANT, type FunctionName, type StreamName } from "../../lib/core/naming/names.ts";
import { METRIC_NAMESPACE, MODEL_PAUSED } from "../../lib/core/telemetry/emf.ts";
import { modelEndpoints, referencedModels } from "../../lib/infrastructure/endpoints.ts";
import { UNREADABLE_LINES, UNSTORED_EVENTS } from "../../lib/search/request-log/marker.ts";
import type { Metric } from "../constructs/alarm.ts";
import { gatewayInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";

/** Returns the gateway's metrics, for alarms and the dashboard. */
export function gatewayMetrics(stack: ProjectStack) {
  const { names, input } = stack;
  const { gateway } = gatewayInput(input);
  const Project = input.config.project.project_name;
  const api = (name: string, stat: string): Metric => ({
    namespace: "AWS/ApiGateway",
    name,
    dimensions: { ApiName: names.api("search-gateway"), Stage: API_STAGE },
    stat,
  });
  return {
    api,
    lambda: (fn: FunctionName, name: string, stat = "Sum"): Metric => ({
      namespace: "AWS/Lambda",
      name,
      dimensions: { FunctionName: names.function(fn) },
      stat,
    }),
    degraded: (stage: Stage): Metric => ({
      namespace: METRIC_NAMESPACE,
      name: "Degraded",
      dimensions: { Project, Stage: stage },
      stat: "Sum",
    }),
    unreadableLines: {
      namespace: METRIC_NAMESPACE,
      name: UNREADABLE_LINES,
      dimensions: { Project },
      stat: "Sum",
    } satisfies Metric,
    unstoredEvents: {
      namespace: METRIC_NAMESPACE,
      name: UNSTORED_EVENTS,
      dimensions: { Project },
      stat: "Sum",
    } satisfies Metric,
    /** Age in seconds of the oldest record that a stream has not yet written to the bucket. */
    delay: (stream: StreamName): Metric => ({
      namespace: "AWS/Firehose",
      name: "DeliveryToS3.DataFreshness",
      dimensions: { DeliveryStreamName: names.stream(stream) },
      stat: "Maximum",
    }),
    models: referencedModels(gateway).map((name) => ({
      name,
      ...modelMetrics(stack, name),
      paused: {
        namespace: METRIC_NAMESPACE,
        name: MODEL_PAUSED,
        dimensions: { Project, Model: name },
        stat: "Sum",
      } satisfies Metric,
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
        return (metricName: string, stat: string): Metric => ({
          namespace: "AWS/SageMaker",
          name: metricName,
          dimensions: { EndpointName, VariantName },
          stat,
        });
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
  const ModelId = bedrockModelId(name, gateway.models);
  const metric = (metricName: string, stat: string): Metric => ({
    namespace: "AWS/Bedrock",
    name: metricName,
    dimensions: { ModelId },
    stat,
  });
  return {
    latency: { metric: metric("InvocationLatency", "p99"), perSecond: 1_000 },
    calls: [metric("Invocations", "Sum")],
    errors: [metric("InvocationServerErrors", "Sum"), metric("InvocationThrottles", "Sum")],
  };
}
