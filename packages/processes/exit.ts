/**
 * Ends this process after its output has been read completely. Writes to a pipe are asynchronous, and `process.exit`
 * alone would drop unread output.
 */
export async function exitWhenWritten(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) await new Promise((written) => stream.write("", written));
  process.exit(code);
}
