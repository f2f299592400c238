import type { FilterRecord } from "@relevance/lib/personalize/filters/evaluate.ts";
import type { ImportMode } from "../resources.ts";
import { Interactions } from "./interactions.ts";
import type { LiveRow, Part } from "./rows.ts";

/** The contents of one dataset: imported rows, and rows that arrived through the events API. */
export class DatasetData {
  #parts: Part[];
  #live: LiveRow[];
  #interactions: Interactions | undefined;
  #records: Map<string, FilterRecord> | undefined;

  constructor(parts: readonly Part[] = [], live: readonly LiveRow[] = []) {
    this.#parts = [...parts];
    this.#live = [...live];
  }

  get parts(): readonly Part[] {
    return this.#parts;
  }

  get live(): readonly LiveRow[] {
    return this.#live;
  }

  /** Adds an import. A FULL import replaces all earlier imports. A repeated job replaces its own rows. */
  import(mode: ImportMode, part: Part): void {
    const kept = mode === "FULL" ? [] : this.#parts.filter(({ jobArn }) => jobArn !== part.jobArn);
    this.#parts = [...kept, part];
    this.#interactions = undefined;
    this.#records = undefined;
  }

  addLive(rows: readonly LiveRow[], idColumn: string): void {
    this.#live.push(...rows);
    for (const row of rows) {
      this.#interactions?.addEvent(row);
      this.#records?.set(String(row.values[idColumn]), row.values as FilterRecord);
    }
  }

  /** Removes all rows of users. */
  removeUsers(ids: ReadonlySet<string>): void {
    this.#parts = this.#parts.map((part) => {
      const column = part.columns.indexOf("USER_ID");
      return column < 0 ? part : { ...part, rows: part.rows.filter((row) => !ids.has(String(row[column]))) };
    });
    this.#live = this.#live.filter(({ values }) => !ids.has(String(values.USER_ID)));
    this.#interactions = undefined;
    this.#records = undefined;
  }

  /** Returns the rows of an interactions dataset. */
  interactions(): Interactions {
    this.#interactions ??= new Interactions(this.#parts, this.#live);
    return this.#interactions;
  }

  /** Returns the rows of an items or users dataset by ID. The latest row of an ID wins. */
  records(idColumn: string): ReadonlyMap<string, FilterRecord> {
    this.#records ??= this.#join(idColumn);
    return this.#records;
  }

  #join(idColumn: string): Map<string, FilterRecord> {
    const rows = [
      ...this.#parts.map((part) => ({ at: part.importedAt, part })),
      ...this.#live.map((row) => ({ at: row.at, row })),
    ].sort((a, b) => a.at - b.at);
    const records = new Map<string, FilterRecord>();
    for (const entry of rows) {
      if ("row" in entry) records.set(String(entry.row.values[idColumn]), entry.row.values as FilterRecord);
      else for (const record of recordsOf(entry.part)) records.set(String(record[idColumn]), record);
    }
    return records;
  }
}

function* recordsOf({ columns, rows }: Part): Generator<FilterRecord> {
  for (const row of rows) {
    yield Object.fromEntries(columns.map((column, index) => [column, row[index]])) as FilterRecord;
  }
}
