import type { Dataset } from "../../config/avro.ts";
import type { Row } from "../schema/row.ts";
import { readRows } from "../schema/rows.ts";
import { RULES } from "../schema/rules.ts";
import { SampleError } from "../schema/sample-error.ts";
import { eventIds } from "./occurrences.ts";

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
