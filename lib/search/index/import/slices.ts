import { createGunzip } from "node:zlib";
import { parse } from "csv-parse/sync";
import type { Format } from "../../../platform/contract/search.ts";
import { RunFailure } from "../rebuild/failure.ts";
import type { ImportRecord } from "../rebuild/in-place-records.ts";

/** A file to import. */
export interface ImportFile {
  name: string;
  /** Bytes as stored, so compressed for gzip. */
  size: number;
  /** Changes with the content, such as an ETag. */
  tag: string;
}

/** Yields the stored bytes of a file from an offset on. Throws RunFailure if it has changed or cannot be read. */
export type OpenFile = (file: ImportFile, from: number) => AsyncIterable<Buffer>;

/** Consecutive whole documents of a file. */
export interface Slice {
  /** Slice number over all files. */
  slice: number;
  file: number;
  /** Start and end in the uncompressed content, in bytes. */
  from: number;
  end: number;
  bytes: Buffer;
  /** The header of a CSV file. */
  columns?: readonly string[];
}

/** The longest document: the gateway accepts 4 MiB. A longer line means that the file has another format. */
const LONGEST = 16 * 1024 * 1024;

/**
 * Yields the content of files in slices of about `sliceBytes`, from a checkpoint on. A slice ends with the first
 * document that reaches its size, so a resumed run finds the same slices. Document boundaries are only known by reading
 * from the start: an NDJSON action looks like a document, and CSV has line breaks inside quotes.
 */
export async function* readSlices(
  files: readonly ImportFile[],
  open: OpenFile,
  { format, next, slice_bytes }: Pick<ImportRecord, "format" | "next" | "slice_bytes">,
): AsyncGenerator<Slice> {
  let { slice, offset } = next;
  for (const [file, one] of files.entries()) {
    if (file < next.file) continue;
    const header = format === "csv" ? await headerOf(one, open) : undefined;
    let from = Math.max(offset, header?.end ?? 0);
    for await (const bytes of cut(contentFrom(one, open, from), format, slice_bytes, one.name)) {
      const end = from + bytes.length;
      yield { slice, file, from, end, bytes, ...(header && { columns: header.columns }) };
      slice += 1;
      from = end;
    }
    offset = 0;
  }
}

/** Returns the format that a file's name shows, of lines of JSON together with the first; undefined for other names. */
export async function formatOf(file: ImportFile, open: OpenFile): Promise<Format | undefined> {
  if (/\.csv(\.gz)?$/i.test(file.name)) return "csv";
  if (!/\.(ndjson|jsonl)(\.gz)?$/i.test(file.name)) return undefined;
  for await (const bytes of contentFrom(file, open, 0)) {
    const [first = ""] = bytes
      .toString("utf8")
      .replace(/^\uFEFF/, "")
      .split("\n", 1);
    return /^\s*\{\s*"(index|create)"\s*:\s*\{/.test(first) ? "bulk" : "documents";
  }
  return "documents";
}

/** Yields the content of a file from an offset on, uncompressed. */
async function* contentFrom(file: ImportFile, open: OpenFile, from: number): AsyncGenerator<Buffer> {
  if (!isGzip(file.name)) {
    yield* open(file, from);
    return;
  }
  // Compressed content has no offsets to seek to, so finished content is read and skipped.
  let skip = from;
  for await (const chunk of gunzipped(file, open)) {
    if (chunk.length <= skip) skip -= chunk.length;
    else {
      yield skip > 0 ? chunk.subarray(skip) : chunk;
      skip = 0;
    }
  }
}

const isGzip = (name: string): boolean => name.endsWith(".gz");

async function* gunzipped(file: ImportFile, open: OpenFile): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  const stored = open(file, 0);
  const feeding = (async () => {
    for await (const chunk of stored) {
      if (gunzip.destroyed) return;
      if (!gunzip.write(chunk)) {
        await new Promise<void>((resolve) => {
          gunzip.once("drain", resolve);
          gunzip.once("close", resolve);
        });
      }
    }
    gunzip.end();
  })();
  feeding.catch((error: Error) => gunzip.destroy(error));
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof RunFailure) throw error;
    throw new RunFailure(`${file.name} is not a complete gzip file: ${(error as Error).message}`, { cause: error });
  } finally {
    gunzip.destroy();
  }
}

async function* cut(content: AsyncIterable<Buffer>, format: Format, size: number, name: string) {
  let buffer: Buffer = Buffer.alloc(0);
  let endOf = SCANNERS[format]();
  for await (const chunk of content) {
    buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]);
    for (let end = endOf(buffer, size); end > 0; end = endOf(buffer, size)) {
      // Copies the bytes, so that a slice does not keep the rest of the buffer in memory.
      yield Buffer.from(buffer.subarray(0, end));
      buffer = buffer.subarray(end);
      endOf = SCANNERS[format]();
    }
    if (buffer.length > size + LONGEST) {
      throw new RunFailure(
        `${name} has a document of more than ${LONGEST / 1024 / 1024} MiB: is its format ${format}?`,
      );
    }
  }
  if (buffer.length > 0) yield buffer;
}

/**
 * Returns the end of the first document that reaches `size`, or 0. Each call gets the same buffer with more data
 * appended.
 */
type Scanner = (buffer: Buffer, size: number) => number;

const LINE_BREAK = 0x0a;
const QUOTE = 0x22;

const SCANNERS: Readonly<Record<Format, () => Scanner>> = {
  documents: () => {
    let seen = 0;
    return (buffer, size) => {
      const found = buffer.indexOf(LINE_BREAK, Math.max(seen, size - 1));
      seen = buffer.length;
      return found + 1;
    };
  },
  bulk: () => {
    let lineStart = 0;
    let inPair = false;
    return (buffer, size) => {
      for (;;) {
        const found = buffer.indexOf(LINE_BREAK, lineStart);
        if (found < 0) return 0;
        inPair = !inPair && hasDocument(buffer.toString("latin1", lineStart, found));
        lineStart = found + 1;
        if (!inPair && lineStart >= size) return lineStart;
      }
    };
  },
  csv: () => {
    let seen = 0;
    let quoted = false;
    return (buffer, size) => {
      for (; seen < buffer.length; seen += 1) {
        const byte = buffer[seen];
        // A quote inside quotes is doubled, so it does not change which line breaks are inside.
        if (byte === QUOTE) quoted = !quoted;
        else if (byte === LINE_BREAK && !quoted && seen + 1 >= size) return seen + 1;
      }
      return 0;
    };
  },
};

/** Returns whether a document follows a `_bulk` action line. */
export const hasDocument = (action: string): boolean => action.trim() !== "" && !/^\s*\{\s*"delete"/.test(action);

async function headerOf(file: ImportFile, open: OpenFile): Promise<{ columns: string[]; end: number }> {
  for await (const bytes of cut(contentFrom(file, open, 0), "csv", 1, file.name)) {
    const [columns = []]: string[][] = parse(bytes, { bom: true });
    if (new Set(columns).size < columns.length || columns.includes("")) {
      throw new RunFailure(`The header of ${file.name} has an empty or repeated column: ${columns.join(",")}`);
    }
    return { columns, end: bytes.length };
  }
  return { columns: [], end: 0 };
}
