import type { StoreFailure } from "../../platform/aws/store-failure.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { RecordStore } from "../clients/record-store.ts";
import type { Profile } from "../records/profile.ts";
import type { RecommendationSettings } from "../service/settings.ts";

/** How many records to read at a time when the first ones are not enough. It is one call to the table. */
const READ_AHEAD = 100;

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

/** The items of an answer, and how many records could not be read. */
export interface ItemList {
  items: ItemRecord[];
  /** Number of candidates whose record could not be read. */
  unread: number;
  /** Number of candidates that were skipped because there is no such item. */
  unknown: number;
  /** Undefined when all records were read. */
  failure: StoreFailure | undefined;
}

export interface Selection {
  limit: number;
  columns: readonly string[];
  /** An additional test. Items without a record fail it. */
  passes?: (id: string, record: Profile) => boolean;
}

/**
 * Returns the first `limit` candidates that are known and active. Stops reading records once it has enough. Lists a
 * candidate whose record cannot be read with only its id, or drops it if there is a test to pass.
 */
export async function selectItems(
  store: RecordStore,
  candidates: readonly string[],
  { limit, columns, passes }: Selection,
  deadline: Deadline,
): Promise<ItemList> {
  const list: ItemList = { items: [], unread: 0, unknown: 0, failure: undefined };
  for (let at = 0; at < candidates.length && list.items.length < limit; ) {
    const size = at === 0 && !passes ? limit : READ_AHEAD;
    const part = candidates.slice(at, at + size);
    at += size;
    const { records, unread, failure } = await store.read("item", part, deadline);
    list.failure ??= failure;
    for (const id of part) {
      if (list.items.length === limit) break;
      const record = records.get(id);
      if (unread.has(id)) {
        list.unread += 1;
        if (!passes) list.items.push({ ITEM_ID: id });
      } else if (record === undefined) {
        list.unknown += 1;
      } else if (isActive(record) && (!passes || passes(id, record))) {
        list.items.push(itemRecord(columns, id, record));
      }
    }
  }
  return list;
}
