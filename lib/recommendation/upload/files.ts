import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import type { Dataset } from "../../platform/contract/recommendation.ts";
import type { FileFormat } from "../../settings/etl.ts";
import type { AddIds } from "../schema/ids.ts";
import { digestOf, type RowPosition, recordOf, SampleError } from "../schema/row.ts";
import { readRows } from "../schema/rows.ts";
import { RULES } from "../schema/rules.ts";
import { Suspects } from "../schema/suspects.ts";

/** A row of a file as a record to send. */
export interface Line {
  place: RowPosition;
  record: Readonly<Record<string, unknown>>;
}

/** The endpoint and request field for each kind of file. */
export const ENDPOINTS = {
  user: { path: "/update-users", field: "users" },
  item: { path: "/update-items", field: "items" },
  interaction: { path: "/log-event", field: "events" },
} as const satisfies Record<Dataset, { path: string; field: string }>;

/** The most records in one request. */
const MAX_RECORDS = 500;
/** The most bytes of records in one request. The service accepts a body of 4 MiB. */
const MAX_BYTES = 3 * 1_024 * 1_024;

/**
 * Reads a whole file and returns its number of rows and what is suspicious about them, so that an unreadable file is rejected before anything is sent.
 * Throws SampleError with the file and line if the file does not exist, a column is missing, a row has another length
 * than the header, or the text is not UTF-8. Passes the ids of all rows on.
 */
export async function countRows(
  dataset: Dataset,
  file: string,
  { format, addIds }: { format?: FileFormat | undefined; addIds?: AddIds } = {},
): Promise<{ rows: number; suspects: string[] }> {
  await requireFile(file);
  const { columns, rows } = await readRows(dataset, file, format);
  const suspects = new Suspects(dataset);
  const { required } = RULES[dataset];
  const lacking = required.filter((column) => !columns.includes(column));
  if (columns.length > 0 && lacking.length > 0) {
    throw new SampleError(
      lacking.map((column) => `${file}  lacks the column "${column}"; its header has ${columns.join(", ")}`),
    );
  }
  let count = 0;
  for await (const row of rows) {
    count += 1;
    addIds?.(dataset, row);
    suspects.add(row);
  }
  if (count === 0) throw new SampleError([`${file}  has a header but no rows: there is nothing to upload`]);
  return { rows: count, suspects: suspects.warnings(file, count) };
}

/** Throws SampleError for a pipe, because files are read twice. A missing file has a better error later. */
async function requireFile(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found && !found.isFile() && !found.isDirectory()) {
    throw new SampleError([`${file}  is a pipe, and an upload reads each file twice: write it to a file first`]);
  }
}

/** Yields the rows of a file as records, in batches of one request. Derives an EVENT_ID for events without one. */
export async function* batchesOf(
  dataset: Dataset,
  file: string,
  {
    records = MAX_RECORDS,
    bytes: maxBytes = MAX_BYTES,
    format,
  }: { records?: number; bytes?: number; format?: FileFormat | undefined } = {},
): AsyncGenerator<Line[]> {
  const { rows } = await readRows(dataset, file, format);
  const idOf = eventIds();
  let batch: Line[] = [];
  let bytes = 0;
  for await (const row of rows) {
    const { line, record: number } = row;
    const written = recordOf(row);
    const record =
      dataset === "interaction" && written.EVENT_ID === undefined
        ? { EVENT_ID: idOf(row.values), ...written }
        : written;
    const size = Buffer.byteLength(JSON.stringify(record)) + 1;
    if (batch.length > 0 && (batch.length >= records || bytes + size > maxBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push({ place: { line, record: number }, record });
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

const FIRST_CAPACITY = 1 << 12;

/**
 * Counts how often each digest was seen, with 16 to 32 bytes of memory for each distinct digest. A Map of ten million
 * would take more than a gigabyte. Digests count as equal if their first eight bytes are equal.
 */
export class Occurrences {
  private table = new BigUint64Array(FIRST_CAPACITY);
  private used = 0;
  /** Counts of digests seen more than once. Few rows repeat, so a Map is enough. */
  private readonly repeats = new Map<bigint, number>();

  /** Adds a digest and returns how often it was seen, including this time. */
  add(digest: Buffer): number {
    // Zero marks a free slot, so a digest of zero counts as 1.
    const key = digest.readBigUInt64LE(0) || 1n;
    if (this.insert(key)) return 1;
    const count = (this.repeats.get(key) ?? 1) + 1;
    this.repeats.set(key, count);
    return count;
  }

  private insert(key: bigint): boolean {
    const at = this.place(key);
    if (this.table[at] === key) return false;
    this.table[at] = key;
    this.used += 1;
    if (this.used > this.table.length / 2) this.grow();
    return true;
  }

  /** Returns the slot of the key, or the free slot for it. */
  private place(key: bigint): number {
    const mask = this.table.length - 1;
    let at = Number(key & BigInt(mask));
    while (this.table[at] !== 0n && this.table[at] !== key) at = (at + 1) & mask;
    return at;
  }

  private grow(): void {
    const old = this.table;
    this.table = new BigUint64Array(old.length * 2);
    for (const key of old) if (key !== 0n) this.table[this.place(key)] = key;
  }
}

/**
 * Creates a function that derives EVENT_IDs from rows. An id depends on the row and on the number of equal rows before
 * it, so the same file always has the same ids, and uploading it twice adds nothing. The order of columns does not
 * matter.
 */
export function eventIds(): (row: Iterable<readonly [string, unknown]>) => string {
  const occurrences = new Occurrences();
  return (row) => {
    const digest = digestOf(row);
    const count = occurrences.add(digest);
    const id = count === 1 ? digest : sha256(`${digest.toString("hex")} ${count}`);
    return `row-${id.toString("base64url").slice(0, 24)}`;
  };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest();
