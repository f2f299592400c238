/**
 * Ends this process as soon as the readers of its output have taken everything. Writes to a pipe are asynchronous, and
 * `process.exit` alone drops what a slow reader has not taken yet.
 */
export async function exitWhenWritten(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) await new Promise((written) => stream.write("", written));
  process.exit(code);
}
