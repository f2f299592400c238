/** The two tables of records. */
export type TableDataset = "user" | "item";

/** A page of a scan; `last` is the key to go on from, null when the segment is read to its end. */
export interface TablePage {
  records: readonly Readonly<Record<string, unknown>>[];
  last: Readonly<Record<string, unknown>> | null;
}

/** Where users and items are read from. */
export interface TableSource {
  /** About how many bytes the table has; may be hours old. */
  size(dataset: TableDataset): Promise<number>;
  /** One page of at most 1 MB of a segment, strongly consistent. */
  scan(
    dataset: TableDataset,
    part: { segment: number; of: number; start: Readonly<Record<string, unknown>> | null },
  ): Promise<TablePage>;
}
