import type { Dataset } from "../../config/avro.ts";
import type { Row } from "../schema/row.ts";
import { readRows } from "../schema/rows.ts";
import { RULES } from "../schema/rules.ts";
import { SampleError } from "../schema/sample-error.ts";
import { eventIds } from "./occurrences.ts";

/** A record of a request, and its last line in the file. */
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

/** The most records of one request. */
const MAX_RECORDS = 500;
/** The most bytes of records, below the 4 MiB that the service accepts for a body. */
const MAX_BYTES = 3 * 1_024 * 1_024;

/**
 * Reads a whole file and returns the number of its rows, so that nothing of an unreadable file is sent. Throws
 * SampleError with file and line: no such file, a missing column, a row of another length, not UTF-8.
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

/** Yields the rows of a file as records, in batches for one request. Events without an EVENT_ID get one derived from the file. */
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
