import type { StoreFailure } from "../../platform/aws/store-failure.ts";
import type { ProfileDataset } from "../../platform/contract/recommendation.ts";
import { isObject } from "../../platform/json/values.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { RecordChange, RecordStore } from "../clients/record-store.ts";
import type { Definitions } from "../records/layout.ts";
import { type Profile, profileParser } from "../records/profile.ts";
import { ID_COLUMNS } from "../records/tables.ts";
import { type Parsed, readId } from "../records/value.ts";

/** Result of merging partial records. */
interface Merged {
  /** For each part: the id of its record, or why the merged record is invalid. */
  parsed: Parsed<string>[];
  changes: RecordChange[];
  /** Ids whose records could not be read. */
  unread: ReadonlyMap<string, StoreFailure>;
}

/**
 * Returns a function that merges partial records with the stored ones. A part changes the columns that it has; null or
 * empty removes a value. The merged record must be valid. Parts of one record are merged in their order. An id without
 * a record gets a new one.
 */
export function partsMerger(dataset: ProfileDataset, definitions: Definitions) {
  const idColumn = ID_COLUMNS[dataset];
  const parse = profileParser(dataset, definitions);
  const columns = new Set([...definitions.etl[dataset].columns.map(({ name }) => name), "IS_ACTIVE"]);
  const idOf = (part: unknown): string | undefined => {
    const id = isObject(part) ? readId(part[idColumn]) : undefined;
    return id && "value" in id ? id.value : undefined;
  };

  return async (store: Pick<RecordStore, "read">, parts: readonly unknown[], deadline: Deadline): Promise<Merged> => {
    const ids = [...new Set(parts.flatMap((part) => idOf(part) ?? []))];
    const { records, unread, failure } = await store.read(dataset, ids, deadline, { consistent: true });
    const current = new Map<string, Profile>();
    for (const [id, record] of records) {
      // Columns that the schema no longer has stay unchanged in the table.
      current.set(id, Object.fromEntries(Object.entries(record).filter(([name]) => columns.has(name))));
    }
    const given = new Map<string, Set<string>>();
    const active = new Set<string>();
    const parsed = parts.map((part): Parsed<string> => {
      const id = idOf(part);
      if (!isObject(part) || id === undefined) return parse(part) as Exclude<Parsed<string>, { record: string }>;
      if (unread.has(id)) return { record: id };
      const whole = parse({ ...current.get(id), ...part });
      if (!("record" in whole)) return whole;
      current.set(id, whole.record);
      const changed = records.has(id) ? part : whole.record;
      const names = Object.keys(changed).filter((name) => name !== idColumn);
      if (Object.hasOwn(part, "IS_ACTIVE")) active.add(id);
      if (names.length > 0) given.set(id, new Set([...(given.get(id) ?? []), ...names]));
      return { record: id };
    });
    const changes = [...given].map(([id, names]): RecordChange => {
      const values = [...names].map((name) => [name, current.get(id)?.[name]] as const);
      const set = values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
      const remove = values.flatMap(([name, value]) => (value === undefined ? [name] : []));
      const defaults = records.has(id) || active.has(id) ? [] : ["IS_ACTIVE"];
      return { id, set: Object.fromEntries(set), remove, defaults, mustExist: records.has(id) };
    });
    return { parsed, changes, unread: new Map(failure ? [...unread].map((id) => [id, failure]) : []) };
  };
}
