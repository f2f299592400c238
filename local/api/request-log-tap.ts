import { isRequestLogLine } from "../../lib/search/request-log/marker.ts";

/**
 * Diverts the request log lines from this process's standard output to `onLine`, as the log subscription does in AWS.
 * All other output passes through. Returns a function that undoes this.
 */
export function tapRequestLog(onLine: (line: string) => void): () => void {
  const { stdout } = process;
  const original = stdout.write;
  const tapped = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
    const lines = text.split("\n");
    if (!lines.some(isRequestLogLine)) return Reflect.apply(original, stdout, [chunk, ...rest]);

    for (const line of lines.filter(isRequestLogLine)) onLine(line);
    // Passes the callback on, if there is one.
    const others = lines.filter((line) => !isRequestLogLine(line)).join("\n");
    return Reflect.apply(original, stdout, [others, ...rest]);
  };
  stdout.write = tapped as typeof stdout.write;
  return () => {
    if (stdout.write === tapped) stdout.write = original;
  };
}
