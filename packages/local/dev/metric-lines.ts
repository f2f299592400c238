import { divertLines } from "@relevance/processes/divert-lines.ts";

/**
 * Hides the metric lines of functions that run in this process. In AWS, CloudWatch converts them to metrics; on a
 * terminal they are useless. Returns a function that undoes this.
 */
export function hideMetricLines(): () => void {
  // `metricLine` begins every line in the embedded metric format like this.
  return divertLines(
    (line) => line.startsWith('{"_aws":'),
    () => undefined,
  );
}
