/** The datasets that are stored in tables. */
export type TableDataset = "user" | "item";

/** A page of a scan. `last` is the key from which to continue, or null at the end of the segment. */
export interface TablePage {
  records: readonly Readonly<Record<string, unknown>>[];
  last: Readonly<Record<string, unknown>> | null;
}

/** The tables of users and items. */
export interface TableSource {
  /** Returns the approximate size of a table in bytes. It may be hours old. */
  size(dataset: TableDataset): Promise<number>;
  /** Reads one page of a segment, at most 1 MB, with strong consistency. */
  scan(
    dataset: TableDataset,
    part: { segment: number; of: number; start: Readonly<Record<string, unknown>> | null },
  ): Promise<TablePage>;
}
