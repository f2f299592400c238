/** How lines of the embedded metric format begin: `metricLine` writes this part first. */
const METRIC_START = '{"_aws":';

/**
 * Keeps metric lines of functions that run in this process off the terminal, where nobody reads them; in AWS the log
 * makes metrics of them. All other output passes through. Returns how to undo it.
 */
export function hideMetricLines(): () => void {
  const { stdout } = process;
  const original = stdout.write;
  const filtered = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    if (typeof chunk !== "string" || !chunk.includes(METRIC_START)) {
      return Reflect.apply(original, stdout, [chunk, ...rest]);
    }
    const others = chunk.split("\n").filter((line) => !line.startsWith(METRIC_START));
    // The callback, if there is one, is still owed.
    return Reflect.apply(original, stdout, [others.join("\n"), ...rest]);
  };
  stdout.write = filtered as typeof stdout.write;
  return () => {
    if (stdout.write === filtered) stdout.write = original;
  };
}
