import { createHash } from "node:crypto";
import type { Dataset } from "../../core/contract/recommendation.ts";
import { type Row, SampleError } from "../schema/row.ts";
import { readRows } from "../schema/rows.ts";
import { RULES } from "../schema/rules.ts";

/** A record, and the line of the file on which it ends. */
export interface Line {
  line: number;
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
 * Reads a whole file and returns its number of rows, so that an unreadable file is rejected before anything is sent.
 * Throws SampleError with the file and line if the file does not exist, a column is missing, a row has another length
 * than the header, or the text is not UTF-8.
 */
export async function countRows(dataset: Dataset, file: string): Promise<number> {
  const { columns, rows } = await readRows(file);
  const { required } = RULES[dataset];
  const missing = required.filter((column) => !columns.includes(column));
  if (columns.length > 0 && missing.length > 0) {
    throw new SampleError(
      missing.map((column) => `${file}  lacks the column "${column}"; its header has ${columns.join(", ")}`),
    );
  }
  let count = 0;
  for await (const _ of rows) count += 1;
  if (count === 0) throw new SampleError([`${file}  has a header but no rows: there is nothing to upload`]);
  return count;
}

/** Yields the rows of a file as records, in batches of one request. Derives an EVENT_ID for events without one. */
export async function* batchesOf(
  dataset: Dataset,
  file: string,
  limits: { records: number; bytes: number } = { records: MAX_RECORDS, bytes: MAX_BYTES },
): AsyncGenerator<Line[]> {
  const { rows } = await readRows(file);
  const idOf = eventIds();
  let batch: Line[] = [];
  let bytes = 0;
  for await (const row of rows) {
    const record = recordOf(row, dataset === "interaction" ? idOf(row.values) : undefined);
    const size = Buffer.byteLength(JSON.stringify(record)) + 1;
    if (batch.length > 0 && (batch.length >= limits.records || bytes + size > limits.bytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push({ line: row.line, record });
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

function recordOf({ values }: Row, eventId: string | undefined): Line["record"] {
  const present = [...values].filter(([, value]) => value !== undefined);
  const record = Object.fromEntries(present);
  return eventId === undefined || record.EVENT_ID !== undefined ? record : { EVENT_ID: eventId, ...record };
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
    // Zero marks a free slot.
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
    const present = [...row].filter(([, value]) => value !== undefined);
    const digest = sha256(JSON.stringify(present.sort(([a], [b]) => (a < b ? -1 : 1))));
    const count = occurrences.add(digest);
    const id = count === 1 ? digest : sha256(`${digest.toString("hex")} ${count}`);
    return `row-${id.toString("base64url").slice(0, 24)}`;
  };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest();
