import type { Degradation } from "../http/degradation.ts";

/** Namespace of all metrics of both services. */
export const METRIC_NAMESPACE = "Relevance";

export interface Metric {
  name: string;
  unit: "Count" | "Milliseconds";
  value: number;
}

/**
 * One line of the CloudWatch embedded metric format: the log becomes metrics without a call to CloudWatch.
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

/** Metric `Degraded` by project and stage: one line a stage. */
export function degradedMetric(project: string, degraded: readonly Degradation[]): string[] {
  const counts = Map.groupBy(degraded, ({ stage }) => stage);
  return [...counts].map(([stage, { length }]) =>
    metricLine({ Project: project, Stage: stage }, [{ name: "Degraded", unit: "Count", value: length }]),
  );
}
