/** One row of a sample file: the line it ends on, and its columns. Missing values are undefined. */
export interface Row {
  line: number;
  values: ReadonlyMap<string, Value>;
}

/** A value as the file has it; several values of one column are joined by a vertical bar already. */
export type Value = string | number | undefined;

/** The columns known before the first row (CSV), and the rows. */
export interface Rows {
  columns: readonly string[];
  rows: AsyncIterable<Row>;
}
