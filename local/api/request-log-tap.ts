import { isRequestLogLine } from "../../lib/search/request-log/marker.ts";

/**
 * Takes the request log lines out of what this process writes to standard output, as the log subscription does in AWS;
 * all other output passes through. Returns how to undo it.
 */
export function tapRequestLog(onLine: (line: string) => void): () => void {
  const { stdout } = process;
  const original = stdout.write;
  const tapped = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
    const lines = text.split("\n");
    if (!lines.some(isRequestLogLine)) return Reflect.apply(original, stdout, [chunk, ...rest]);

    for (const line of lines.filter(isRequestLogLine)) onLine(line);
    // The callback, if there is one, is still owed.
    const others = lines.filter((line) => !isRequestLogLine(line)).join("\n");
    return Reflect.apply(original, stdout, [others, ...rest]);
  };
  stdout.write = tapped as typeof stdout.write;
  return () => {
    if (stdout.write === tapped) stdout.write = original;
  };
}
