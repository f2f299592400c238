import type { Dataset } from "../../config/avro.ts";
import type { Row } from "../schema/row.ts";
import { readRows } from "../schema/rows.ts";
import { RULES } from "../schema/rules.ts";
import { SampleError } from "../schema/sample-error.ts";
import { eventIds } from "./occurrences.ts";

/** A record of a request, and the line of the file that it ends on. */
export interface Line {
  line: number;
  record: Readonly<Record<string, unknown>>;
}

/** How the rows of a kind of file are sent. */
export const ENDPOINTS = {
  user: { path: "/update-users", field: "users" },
  item: { path: "/update-items", field: "items" },
  interaction: { path: "/log-event", field: "events" },
} as const satisfies Record<Dataset, { path: string; field: string }>;

/** What the service takes in one request. */
const MAX_RECORDS = 500;
/** Below its 4 MiB by enough for the rest of the body. */
const MAX_BYTES = 3 * 1_024 * 1_024;

/**
 * Reads a whole file and gives the number of its rows, so that nothing is sent of a file that cannot be read to its
 * end. Throws SampleError with file and line: no such file, a missing column, a row of another length, not UTF-8.
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
  if (count === 0) throw new SampleError([`${file}  has a header and no rows: there is nothing to upload`]);
  return count;
}

/**
 * The rows of a file as the requests' records, in batches that one request takes; the first `skip` rows are left out.
 * Events without an EVENT_ID get one that follows from the file.
 */
export async function* batchesOf(
  dataset: Dataset,
  file: string,
  skip = 0,
  limits: { records: number; bytes: number } = { records: MAX_RECORDS, bytes: MAX_BYTES },
): AsyncGenerator<Line[]> {
  const { rows } = await readRows(file);
  const idOf = eventIds();
  let batch: Line[] = [];
  let bytes = 0;
  let number = 0;
  for await (const row of rows) {
    // Ids depend on the rows before, also on those that are left out.
    const record = recordOf(row, dataset === "interaction" ? idOf(row.values) : undefined);
    number += 1;
    if (number <= skip) continue;
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
