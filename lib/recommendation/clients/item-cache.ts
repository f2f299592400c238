import type { ProfileDataset } from "../../platform/contract/recommendation.ts";
import type { Profile } from "../records/profile.ts";
import type { RecordStore } from "./record-store.ts";

export interface ItemCacheOptions {
  /** Time for which a cached record is used, in milliseconds. */
  ttlMs: number;
  /** The most characters to cache, as {@link sizeOf} counts them. */
  maxSize?: number;
  now?: () => number;
}

/** About 16 MB at most: a character outside of Latin-1 takes two bytes. */
const MAX_SIZE = 8_000_000;

interface CachedRecord {
  record: Profile;
  until: number;
  size: number;
}

/**
 * Returns a store that caches item records for some seconds, so that several answers with the same items read the table
 * once. Reads of users, and of ids without a record, always reach the table, so a new item is visible at once. A write
 * through this store drops the cached record. A write by another instance is visible when the cached record expires. If
 * the cache is full, drops the oldest records.
 */
export function withItemCache(store: RecordStore, options: ItemCacheOptions): RecordStore {
  const { ttlMs, maxSize = MAX_SIZE, now = () => performance.now() } = options;
  // A Map iterates in insertion order and all records have the same lifetime, so the first ones are the oldest.
  const kept = new Map<string, CachedRecord>();
  let size = 0;

  const remove = (id: string) => {
    size -= kept.get(id)?.size ?? 0;
    kept.delete(id);
  };

  const keep = (id: string, record: Profile) => {
    remove(id);
    const entry = { record, until: now() + ttlMs, size: sizeOf(record) };
    kept.set(id, entry);
    size += entry.size;
    for (const [oldest, { until }] of kept) {
      if (size <= maxSize && until > now()) break;
      remove(oldest);
    }
  };

  const changing = async <T>(dataset: ProfileDataset, ids: readonly string[], change: () => Promise<T>): Promise<T> => {
    const forget = () => {
      if (dataset === "item") for (const id of ids) remove(id);
    };
    // Also before the write: a read during the write may return either version.
    forget();
    try {
      return await change();
    } finally {
      forget();
    }
  };

  return {
    async read(dataset, ids, deadline, readOptions) {
      if (dataset !== "item" || readOptions?.consistent) return store.read(dataset, ids, deadline, readOptions);
      const records = new Map<string, Profile>();
      const missing: string[] = [];
      for (const id of ids) {
        const found = kept.get(id);
        if (found && found.until > now()) records.set(id, found.record);
        else missing.push(id);
      }
      if (missing.length === 0) return { records, unread: new Set(), failure: undefined };
      const read = await store.read(dataset, missing, deadline, readOptions);
      for (const [id, record] of read.records) {
        keep(id, record);
        records.set(id, record);
      }
      return { ...read, records };
    },

    write: (dataset, records, deadline) => {
      const ids = records.map(({ ITEM_ID }) => String(ITEM_ID));
      return changing(dataset, ids, () => store.write(dataset, records, deadline));
    },
    remove: (dataset, ids, deadline) => changing(dataset, ids, () => store.remove(dataset, ids, deadline)),
    merge: (dataset, changes, deadline) => {
      const ids = changes.map(({ id }) => id);
      return changing(dataset, ids, () => store.merge(dataset, changes, deadline));
    },
  };
}

/** Returns the characters of a record's keys and values, and some for each of them. */
function sizeOf(record: Profile): number {
  let characters = 0;
  for (const [key, value] of Object.entries(record)) characters += key.length + String(value).length + 32;
  return characters;
}
