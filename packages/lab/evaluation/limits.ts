import { UsageError } from "@relevance/lib/platform/failure.ts";
import type { Metric } from "../metrics/metric.ts";
import type { Evaluation } from "./evaluate.ts";
import { shown } from "./sentences.ts";

/** A mean that must be reached. */
interface Limit {
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

/** Returns which limits the means of the baseline miss, in sentences. */
export function missedLimits({ settings: [baseline] }: Evaluation, limits: readonly Limit[]): string[] {
  const meanOf = (metric: string) => baseline?.scores[metric]?.mean.mean ?? 0;
  return limits
    .filter(({ metric, value }) => meanOf(metric) < value)
    .map(({ metric, value }) => `${metric} of ${baseline?.name} is ${shown(meanOf(metric))}, below ${value}`);
}
