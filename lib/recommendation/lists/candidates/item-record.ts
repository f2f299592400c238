import type { Profile } from "../../records/profile.ts";
import type { RecommendationSettings } from "../../service/settings.ts";

/** An item in an answer: every column as text, or only ITEM_ID if its record could not be read. */
export type ItemRecord = Readonly<Record<string, string>>;

/** Returns the columns of an item in an answer: those of the items file, in its order, without IS_ACTIVE. */
export function itemColumns({ definitions }: Pick<RecommendationSettings, "definitions">): string[] {
  return definitions.etl.item.columns.map(({ name }) => name).filter((name) => name !== "IS_ACTIVE");
}

/** Returns an item for an answer, with all columns. Columns without a value are empty strings. */
export function itemRecord(columns: readonly string[], id: string, record: Profile | undefined): ItemRecord {
  const values = columns.map((column) => [column, column === "ITEM_ID" ? id : String(record?.[column] ?? "")] as const);
  return Object.fromEntries(values);
}

/** Returns whether an item may be recommended. */
export function isActive(record: Profile | undefined): record is Profile {
  return record !== undefined && record.IS_ACTIVE !== "False";
}

/** Returns the values of a column, which may be several joined by a bar. */
export function valuesOf(record: Profile | undefined, column: string): ReadonlySet<string> {
  const text = String(record?.[column] ?? "");
  return new Set(text === "" ? [] : text.split("|"));
}
