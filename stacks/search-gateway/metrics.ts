import type { ModelName } from "../../lib/config/embedding-models.ts";
import { bedrockModelId, endpointNameOf, isEndpointModel } from "../../lib/config/model-sources.ts";
import type { Stage } from "../../lib/core/http/degradation.ts";
import { API_STAGE, ENDPOINT_VARIANT, type FunctionName, type StreamName } from "../../lib/core/naming/names.ts";
import { METRIC_NAMESPACE, MODEL_PAUSED } from "../../lib/core/telemetry/emf.ts";
import { referencedModels } from "../../lib/infrastructure/endpoints.ts";
import { UNSTORED_EVENTS } from "../../lib/search/api/events/events.ts";
import { UNREADABLE_LINES } from "../../lib/search/request-log/marker.ts";
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

/** Returns latency and errors of a model, as its host reports them. */
function modelMetrics({ names, input }: ProjectStack, name: ModelName) {
  const { found, gateway } = gatewayInput(input);
  const { models } = gateway;
  const metric = (metricName: string, stat: string): Metric =>
    isEndpointModel(name)
      ? {
          namespace: "AWS/SageMaker",
          name: metricName,
          dimensions: {
            EndpointName: endpointNameOf(name, models, names),
            VariantName: found.modelEndpoints?.[name]?.variant ?? ENDPOINT_VARIANT,
          },
          stat,
        }
      : { namespace: "AWS/Bedrock", name: metricName, dimensions: { ModelId: bedrockModelId(name, models) }, stat };
  if (isEndpointModel(name)) {
    return {
      // SageMaker reports microseconds.
      latency: { metric: metric("ModelLatency", "p99"), perSecond: 1_000_000 },
      calls: metric("Invocations", "Sum"),
      errors: [metric("Invocation5XXErrors", "Sum"), metric("InvocationModelErrors", "Sum")],
    };
  }
  return {
    latency: { metric: metric("InvocationLatency", "p99"), perSecond: 1_000 },
    calls: metric("Invocations", "Sum"),
    errors: [metric("InvocationServerErrors", "Sum"), metric("InvocationThrottles", "Sum")],
  };
}
