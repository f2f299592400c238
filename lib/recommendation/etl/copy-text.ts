import { isAscii } from "node:buffer";
import { createReadStream, writeSync } from "node:fs";
import { open, rm, writeFile } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { download, type ObjectStore } from "../../platform/aws/object-store.ts";

/** The longest line. A Firehose record holds at most 1,000 KiB, so a longer line cannot be an event. */
export const LONGEST_LINE = 1_024_000;

/** First character of a line that describes a problem of the whole object. No JSON line begins with it. */
export const PROBLEM = "\u0001";

/**
 * Copies an object to a file as text. Recognizes gzip by the first two bytes, and unpacks several gzip members in a row
 * as one text, because Firehose may write them. Of damaged gzip data, it copies the lines before the damage, then a line
 * with the problem: the object stays in the bucket and must not make every later run fail. Of an object that has been
 * removed, only the problem is left. Returns whether all of the text is ASCII without backslashes and the control
 * character DELETE.
 */
export async function copyText(store: ObjectStore, key: string, to: string): Promise<boolean> {
  const file = `${to}.stored`;
  if (!(await download(store, key, file))) {
    await writeFile(to, `${PROBLEM}the object has been removed since the run was planned`);
    return false;
  }
  const input = await open(file);
  const { buffer: head } = await input.read(Buffer.alloc(2), 0, 2, 0);
  await input.close();
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const bytes = createReadStream(file, { highWaterMark: 256 * 1_024 });
  // With the default chunks of 16 KiB, calls alone take a third of the time.
  const chunks: AsyncIterable<Buffer> = isGzip ? bytes.pipe(createGunzip({ chunkSize: 512 * 1_024 })) : bytes;
  const output = await open(to, "w");
  let [size, whole, isPlain] = [0, 0, true];
  try {
    for await (const chunk of chunks) {
      const end = chunk.lastIndexOf("\n");
      // Drops the rest of a line that is already too long. Lines are read as a whole, so their length limits memory.
      if (end === -1 && size - whole > LONGEST_LINE) continue;
      isPlain &&= isAscii(chunk) && !chunk.includes("\\") && !chunk.includes("\x7f");
      // An asynchronous write would cost more than the write itself.
      writeSync(output.fd, chunk);
      if (end !== -1) whole = size + end + 1;
      size += chunk.length;
    }
  } catch (error) {
    if (!isGzip) throw error;
    await output.truncate(whole);
    await output.write(`${PROBLEM}gzip data is damaged: ${error instanceof Error ? error.message : error}`, whole);
  } finally {
    await output.close();
    await rm(file);
  }
  return isPlain;
}
