/** Namespace of all metrics of both services. */
export const METRIC_NAMESPACE = "Relevance";

/** How often an instance stopped calling a model for some seconds, by project and model. */
export const MODEL_PAUSED = "ModelPaused";

export interface Metric {
  name: string;
  unit: "Count" | "Milliseconds";
  value: number;
}

/**
 * Returns one log line in the CloudWatch embedded metric format, from which CloudWatch extracts the metrics.
 * Source: "Specification: Embedded metric format", CloudWatch User Guide.
 */
export function metricLine(
  dimensions: Readonly<Record<string, string>>,
  metrics: readonly Metric[],
  now = Date.now(),
): string {
  return JSON.stringify({
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [
        {
          Namespace: METRIC_NAMESPACE,
          Dimensions: [Object.keys(dimensions)],
          Metrics: metrics.map(({ name, unit }) => ({ Name: name, Unit: unit })),
        },
      ],
    },
    ...dimensions,
    ...Object.fromEntries(metrics.map(({ name, value }) => [name, value])),
  });
}

/** Returns one log line with a counter. */
export const countLine = (
  dimensions: Readonly<Record<string, string>>,
  name: string,
  value = 1,
  now?: number,
): string => metricLine(dimensions, [{ name, unit: "Count", value }], now);

/** Returns one line with the metric `Degraded`, by project and stage, for each stage. */
export function degradedMetric<T extends { stage: string }>(project: string, degraded: readonly T[]): string[] {
  const counts = Map.groupBy(degraded, ({ stage }) => stage);
  return [...counts].map(([stage, { length }]) => countLine({ Project: project, Stage: stage }, "Degraded", length));
}
