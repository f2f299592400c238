import { isUtf8 } from "node:buffer";
import { extname } from "node:path";
import type { Dataset } from "../../platform/contract/recommendation.ts";
import { type FileFormat, PLAIN_FILES } from "../../settings/etl.ts";
import { csvRows } from "./csv-rows.ts";
import { openFile } from "./file-bytes.ts";
import { formatted, hasHeader } from "./format.ts";
import { jsonRows } from "./json-rows.ts";
import { type Rows, SampleError } from "./row.ts";

/**
 * Reads a CSV file, a JSON array of objects or newline-delimited JSON row by row, in constant memory, packed by gzip or
 * not. The file may be a pipe, which is read once. Recognizes CSV by the extension `.csv`, and otherwise tells the formats
 * apart by the first character.
 */
export async function readRows(dataset: Dataset, file: string, format: FileFormat = PLAIN_FILES): Promise<Rows> {
  const opened = await openFile(file);
  const start = opened.start.toString().replace(/^\ufeff/, "");
  if (start.trim() === "") {
    await opened.close();
    throw new SampleError([`${file}  is empty: it needs a header and at least one row`]);
  }
  const bytes = utf8Only(file, opened.bytes);
  const isJson = extname(file.replace(/\.gz$/i, "")).toLowerCase() !== ".csv" && /^\s*[[{]/.test(start);
  const missing = new Set(format.no_value);
  const layout = { separator: format.separator, hasHeader: hasHeader(dataset, format) };
  const rows = isJson
    ? { columns: [], rows: jsonRows(file, bytes, missing), renamed: new Set<string>() }
    : await csvRows(file, start, bytes, missing, layout);
  return formatted(rows, dataset, format);
}

const LINE_FEED = 0x0a;

/**
 * Yields the bytes after checking that they are UTF-8. Moves a character that is split between two chunks to the second
 * one. Throws SampleError with the offset and line of the first invalid byte.
 */
async function* utf8Only(file: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let offset = 0;
  let line = 1;
  let cut = Buffer.alloc(0);
  const fail = (block: Buffer) => {
    const at = firstWrongByte(block);
    const before = line + count(block.subarray(0, at));
    const byte = (block[at] ?? 0).toString(16).padStart(2, "0");
    const hint = offset + at < 2 && /^f[ef]$/.test(byte) ? "; it looks like UTF-16" : "";
    return new SampleError([
      `${file}:${before}  is not UTF-8: byte 0x${byte} at offset ${offset + at} (line ${before})${hint}. Save it as UTF-8.`,
    ]);
  };
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([cut, chunk]);
    const whole = bytes.subarray(0, bytes.length - cutCharacter(bytes));
    if (!isUtf8(whole)) throw fail(whole);
    cut = bytes.subarray(whole.length);
    offset += whole.length;
    line += count(whole);
    yield whole;
  }
  if (cut.length > 0) throw fail(cut);
}

/** Returns how many bytes at the end belong to an incomplete character: 0 to 3. */
function cutCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** Returns the index of the first byte that is not valid UTF-8. */
function firstWrongByte(bytes: Buffer): number {
  let low = 0;
  let high = bytes.length;
  // Binary search for the longest prefix that is valid UTF-8, not counting an incomplete character at its end.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const start = bytes.subarray(0, middle);
    if (isUtf8(start.subarray(0, middle - cutCharacter(start)))) low = middle;
    else high = middle - 1;
  }
  return low - cutCharacter(bytes.subarray(0, low));
}

function count(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}
