import type { Stage } from "../../lib/core/http/degradation.ts";
import { API_STAGE, type FunctionName, type Service, type StreamName } from "../../lib/core/naming/names.ts";
import { METRIC_NAMESPACE } from "../../lib/core/telemetry/emf.ts";
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
export type ServiceMetrics = ReturnType<typeof serviceMetrics>;
