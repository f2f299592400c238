import { MEASURE_NAMES, type Metric, metricOf } from "../../lib/relevance/metrics/metric.ts";
import { UsageError } from "../errors.ts";

/** Reads `--metrics ndcg@10,mrr`. Throws UsageError. */
export function metricsOf(names: string): Metric[] {
  return names.split(",").map((name) => {
    const metric = metricOf(name.trim());
    if (metric) return metric;
    throw new UsageError(
      `--metrics: there is no metric ${JSON.stringify(name)}: choose from ${MEASURE_NAMES.join(", ")}, with a depth as in ndcg@10`,
    );
  });
}

/** A mean that must be reached. */
export interface Limit {
  metric: string;
  value: number;
}

/** Reads `--fail-below ndcg@10=0.40`, whose metric must be one of the metrics measured. Throws UsageError. */
export function limitsOf(texts: readonly string[], metrics: readonly Metric[]): Limit[] {
  return texts.map((text) => {
    const [metric = "", value = "", ...more] = text.split("=");
    const known = metrics.some(({ name }) => name === metric);
    if (known && value.trim() !== "" && Number.isFinite(Number(value)) && more.length === 0) {
      return { metric, value: Number(value) };
    }
    const names = metrics.map(({ name }) => name).join(", ");
    throw new UsageError(`--fail-below ${text}: write metric=value, with one of the metrics ${names}`);
  });
}
