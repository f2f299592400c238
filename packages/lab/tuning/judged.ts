import { mean, simultaneousIntervals } from "@relevance/lib/platform/statistics/bootstrap.ts";
import { difference } from "@relevance/lib/platform/statistics/rounding.ts";
import { LEAST_JUDGED, SAME_SHARE } from "../evaluation/verdict.ts";
import { condensedOf, type Metric, metricOf } from "../metrics/metric.ts";
import type { Measured } from "./tune.ts";

/** Two settings and what they are measured with. */
export interface Gain<Settings> {
  metric: Metric;
  /** Returns the same queries measured by another metric. */
  measuredBy(metric: Metric): Measured<Settings>;
  current: Settings;
  best: Settings;
  /** Whether the gain is more than noise. */
  isReal: boolean;
}

/**
 * Returns why there is no verdict on a gain, in a sentence: too few hits are judged, or the gain is more than noise, but
 * the two settings differ in their judged share and it is not there on condensed lists. Undefined if there is a verdict.
 */
export function doubtAboutGain<Settings>({
  metric,
  measuredBy,
  current,
  best,
  isReal,
}: Gain<Settings>): string | undefined {
  const condensed = condensedOf(metric);
  const judged = metricOf(`judged@${Math.min(metric.k ?? 10, 10)}`);
  if (!condensed || !judged) return undefined;
  const shares = measuredBy(judged);
  const [before, after] = [current, best].map((settings) => mean([...shares.values(settings)])) as [number, number];
  const told = `${percent(after)} of the first hits of the best settings are judged and ${percent(before)} of those of the current ones`;
  if (Math.min(before, after) < LEAST_JUDGED)
    return `No verdict: ${told}. It needs ${percent(LEAST_JUDGED)}: judge more hits.`;
  if (!isReal || Math.abs(after - before) < SAME_SHARE) return undefined;
  const collection = measuredBy(condensed);
  const from = collection.values(current);
  const gains = [...collection.values(best)].map((value, query) => difference(value, from[query] as number));
  const [interval] = simultaneousIntervals([gains]);
  if (interval && interval.low > 0) return undefined;
  return `No verdict: ${told}, and what is not judged decides which are better. Judge the rest.`;
}

const percent = (share: number) => `${Math.round(100 * share)} %`;
