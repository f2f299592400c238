/**
 * Removes the lines selected by `isTaken` from this process's standard output, and passes them to `onLine`. All other
 * output is unchanged. Returns a function that undoes this.
 */
export function divertLines(isTaken: (line: string) => boolean, onLine: (line: string) => void): () => void {
  const { stdout } = process;
  const original = stdout.write;
  const filtered = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const lines = (typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8")).split("\n");
    const taken = lines.filter(isTaken);
    for (const line of taken) onLine(line);
    const left = taken.length === 0 ? chunk : lines.filter((line) => !isTaken(line)).join("\n");
    // Passes the callback on, if there is one.
    return Reflect.apply(original, stdout, [left, ...rest]);
  };
  stdout.write = filtered as typeof stdout.write;
  return () => {
    if (stdout.write === filtered) stdout.write = original;
  };
}
