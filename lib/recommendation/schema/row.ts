/** One row of a sample file: where it ends, and its values by column. Missing values are undefined. */
export interface Row extends RowPosition {
  values: ReadonlyMap<string, Value>;
  /** The original text of JSON numbers that parsing would change: `2008.0`, or more digits than a number holds. */
  written?: ReadonlyMap<string, string>;
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
