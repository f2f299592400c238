import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { SampleError } from "./row.ts";

/** The bytes of a file, unpacked, and their start. */
interface OpenFile {
  start: Buffer;
  bytes: AsyncIterable<Buffer>;
  /** Closes a file that is not read to its end. */
  close(): Promise<unknown>;
}

/** Enough for a header. */
const START_BYTES = 4_096;

const GZIP = "1f8b";

/** Starts of files that are not text, in hexadecimal, with advice for the user. */
const OTHERS: readonly [start: string, advice: string][] = [
  ["504b0304", "is a ZIP archive or a spreadsheet: unpack it, or save it as CSV (UTF-8)"],
  ["d0cf11e0", "is a spreadsheet: save it as CSV (UTF-8)"],
  ["28b52ffd", "is packed by zstd: unpack it, or pack it by gzip"],
  ["fd377a585a", "is packed by xz: unpack it, or pack it by gzip"],
  ["425a68", "is packed by bzip2: unpack it, or pack it by gzip"],
  ["50415231", "is a Parquet file: save it as CSV or JSON"],
  ["4f626a01", "is an Avro file: save it as CSV or JSON"],
];

/**
 * Opens a file or pipe, which it reads once. Unpacks gzip. Throws SampleError for a file that cannot be read or that is
 * of another format.
 */
export async function openFile(file: string): Promise<OpenFile> {
  const stored = await peek(named(file, createReadStream(file)));
  const hex = stored.start.toString("hex", 0, 8);
  const other = OTHERS.find(([start]) => hex.startsWith(start));
  if (other) {
    await stored.close();
    throw new SampleError([`${file}  ${other[1]}`]);
  }
  return hex.startsWith(GZIP) ? peek(named(file, unpacked(stored.bytes))) : stored;
}

async function* unpacked(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const source = Readable.from(bytes);
  source.on("error", (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  try {
    yield* gunzip;
  } finally {
    source.destroy();
  }
}

/** Reads the start of a byte sequence without consuming it. */
async function peek(source: AsyncGenerator<Buffer>): Promise<OpenFile> {
  const parts: Buffer[] = [];
  let size = 0;
  while (size < START_BYTES) {
    const next = await source.next();
    if (next.done) break;
    parts.push(next.value);
    size += next.value.length;
  }
  const start = Buffer.concat(parts);
  async function* all(): AsyncGenerator<Buffer> {
    if (start.length > 0) yield start;
    yield* source;
  }
  return { start, bytes: all(), close: () => source.return(undefined) };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "is a folder, not a file",
  EACCES: "may not be read by this user",
  Z_DATA_ERROR: "is damaged: its gzip data cannot be unpacked",
  Z_BUF_ERROR: "is damaged: its gzip data ends too early",
};

/** Yields the same bytes. Turns errors that the user can fix into a SampleError. */
async function* named(file: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? REASONS[String(error.code)] : undefined;
    throw reason === undefined ? error : new SampleError([`${file}  ${reason}`], { cause: error });
  }
}
