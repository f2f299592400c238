import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { extname } from "node:path";
import { csvRows } from "./csv-rows.ts";
import { jsonRows } from "./json-rows.ts";
import type { Rows } from "./row.ts";
import { SampleError } from "./sample-error.ts";
import { utf8Only } from "./utf8.ts";

const SNIFFED_BYTES = 4_096;

/**
 * Reads a CSV file, a JSON array of objects or newline-delimited JSON row by row, in constant memory. Recognizes CSV by
 * the extension `.csv`, and otherwise tells the formats apart by the first character.
 */
export async function readRows(file: string): Promise<Rows> {
  const start = await firstBytes(file);
  if (start.trim() === "") throw new SampleError([`${file}  is empty: it needs a header and at least one row`]);
  const isJson = extname(file).toLowerCase() !== ".csv" && /^\s*[[{]/.test(start);
  const bytes = utf8Only(file, createReadStream(file));
  return isJson ? { columns: [], rows: jsonRows(file, bytes) } : csvRows(file, bytes);
}

async function firstBytes(file: string): Promise<string> {
  try {
    const handle = await open(file);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
      return buffer.toString("utf8", 0, bytesRead).replace(/^\ufeff/, "");
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const reasons: Record<string, string> = {
      ENOENT: "there is no such file",
      EISDIR: "is a folder, not a file",
      EACCES: "may not be read by this user",
    };
    const reason = "code" in error ? reasons[String(error.code)] : undefined;
    if (!reason) throw error;
    throw new SampleError([`${file}  ${reason}`], { cause: error });
  }
}
