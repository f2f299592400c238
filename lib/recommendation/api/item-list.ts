import type { Deadline } from "../../core/resilience/deadline.ts";
import type { RecordStore } from "../clients/record-store.ts";
import type { Profile } from "../records/profile.ts";

/** Records read at once after the first ones did not suffice: one call of the table. */
const READ_AHEAD = 100;

/** An item as an answer has it: every column as text; ITEM_ID alone when its record could not be read. */
export type ItemRecord = Readonly<Record<string, string>>;

/** The record of an item in an answer: all columns, those without a value as empty texts. */
export function itemRecord(columns: readonly string[], id: string, record: Profile | undefined): ItemRecord {
  const values = columns.map((column) => [column, column === "ITEM_ID" ? id : String(record?.[column] ?? "")] as const);
  return Object.fromEntries(values);
}

/** Whether an item may be recommended. */
export function isActive(record: Profile | undefined): record is Profile {
  return record !== undefined && record.IS_ACTIVE !== "False";
}

/** The items of an answer, and what could not be read for them. */
export interface ItemList {
  items: ItemRecord[];
  /** Items that were put in without their record. */
  unread: number;
  /** Why; undefined when all records were read. */
  reason: string | undefined;
}

export interface Selection {
  limit: number;
  columns: readonly string[];
  /** What an item has to pass besides being active; without a record an item cannot pass. */
  passes?: (id: string, record: Profile) => boolean;
}

/**
 * The first `limit` candidates that are known and active. Reads only as many records as it needs. A candidate whose
 * record cannot be read is taken with its id alone, unless it would have to pass a test.
 */
export async function selectItems(
  store: RecordStore,
  candidates: readonly string[],
  { limit, columns, passes }: Selection,
  deadline: Deadline,
): Promise<ItemList> {
  const list: ItemList = { items: [], unread: 0, reason: undefined };
  for (let at = 0; at < candidates.length && list.items.length < limit; ) {
    const size = at === 0 && !passes ? limit : READ_AHEAD;
    const part = candidates.slice(at, at + size);
    at += size;
    const { records, unread, reason } = await store.read("item", part, deadline);
    list.reason ??= reason;
    for (const id of part) {
      if (list.items.length === limit) break;
      const record = records.get(id);
      if (unread.has(id)) {
        list.unread += 1;
        if (!passes) list.items.push({ ITEM_ID: id });
      } else if (isActive(record) && (!passes || passes(id, record))) {
        list.items.push(itemRecord(columns, id, record));
      }
    }
  }
  return list;
}
