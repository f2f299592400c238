/** One row of a sample file: the line on which it ends, and its values by column. Missing values are undefined. */
export interface Row {
  line: number;
  values: ReadonlyMap<string, Value>;
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
