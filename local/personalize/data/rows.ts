import type { Cell } from "./cell.ts";
import type { ImportedRows } from "./csv-import.ts";

/** The rows of one import job. */
export interface Part extends ImportedRows {
  jobArn: string;
  importedAt: number;
}

/** One event, item or user that arrived through the events API, by column. */
export interface LiveRow {
  at: number;
  values: Readonly<Record<string, Cell>>;
  session?: string;
}
