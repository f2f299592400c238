/** Start of a line in the embedded metric format, as `metricLine` writes it. */
const METRIC_START = '{"_aws":';

/**
 * Hides the metric lines of functions that run in this process. In AWS, CloudWatch turns them into metrics; on a
 * terminal nobody reads them. All other output passes through. Returns a function that undoes this.
 */
export function hideMetricLines(): () => void {
  const { stdout } = process;
  const original = stdout.write;
  const filtered = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    if (typeof chunk !== "string" || !chunk.includes(METRIC_START)) {
      return Reflect.apply(original, stdout, [chunk, ...rest]);
    }
    const others = chunk.split("\n").filter((line) => !line.startsWith(METRIC_START));
    // Passes the callback on, if there is one.
    return Reflect.apply(original, stdout, [others.join("\n"), ...rest]);
  };
  stdout.write = filtered as typeof stdout.write;
  return () => {
    if (stdout.write === filtered) stdout.write = original;
  };
}
