import { hash } from "node:crypto";
import { shareText } from "../../platform/share.ts";

/** One row of a sample file: where it ends, and its values by column. Missing values are undefined. */
export interface Row extends RowPosition {
  values: Map<string, Value>;
  /** The original text of JSON numbers that parsing would change: `2008.0`, or more digits than a number holds. */
  written?: Map<string, string>;
}

/** Position of a row's end: the line and, in a JSON array, the record, both from 1. */
export interface RowPosition {
  line: number;
  record?: number | undefined;
}

/** A value of the file. Several values of one column are already joined by a vertical bar. */
export type Value = string | number | undefined;

/** The rows of a file, and the columns known in advance: the header of a CSV file, or none for JSON. */
export interface Rows {
  columns: readonly string[];
  rows: AsyncIterable<Row>;
  /** The columns of the file that the format renames, as far as rows were read. */
  renamed: Set<string>;
}

/** Rows with the same problem. */
export interface Counted {
  count: number;
  /** The first of them. */
  places: [RowPosition, ...RowPosition[]];
  /** Error message of the first invalid row. */
  message: string;
}

/** How many of the rows with a problem are named. */
const NAMED_ROWS = 5;

/** Counts a row with a problem. */
export function countIn(counted: Map<string, Counted>, key: string, { line, record }: RowPosition, message: string) {
  const place = { line, record };
  const known = counted.get(key);
  if (!known) counted.set(key, { count: 1, places: [place], message });
  else if (known.count++ < NAMED_ROWS) known.places.push(place);
}

/** Returns how many rows have a problem, of how many, and the first of several: `2 of 9 rows (22 %), lines 2 and 5`. */
export function shareOf({ count, places }: Counted, rows: number): string {
  const share = shareText(count, rows, "rows");
  const numbers = places.map(({ line, record }) => record ?? line).join(", ");
  const kind = places[0].record === undefined ? "lines" : "records";
  return count === 1 ? share : `${share}, ${kind} ${numbers}${count > places.length ? ", …" : ""}`;
}

/** Reports that no schema can be inferred from a sample file. The message has one line for each problem. */
export class SampleError extends Error {
  override name = "SampleError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join("\n"), options);
    this.problems = problems;
  }
}

/** Returns where a row is, for messages: `items.csv:7`, or `items.json:1 (record 812)`. */
export function placeOf(file: string, { line, record }: RowPosition): string {
  return `${file}:${line}${record === undefined ? "" : ` (record ${record})`}`;
}

/** Returns a row's values as they are written in the file, without missing ones. */
export function recordOf({ values, written }: Row): Record<string, string | number> {
  const record: Record<string, string | number> = {};
  for (const [name, value] of values) if (value !== undefined) record[name] = written?.get(name) ?? value;
  return record;
}

/** Returns a digest of a row's values. The order of the columns does not matter. */
export function digestOf(row: Iterable<readonly [string, unknown]>): Buffer {
  const present = [...row].filter(([, value]) => value !== undefined);
  return hash("sha256", JSON.stringify(present.sort(([a], [b]) => (a < b ? -1 : 1))), "buffer");
}
