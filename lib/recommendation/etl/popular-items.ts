import * as v from "valibot";

/** Number of items to keep: the largest answer (500), plus as many again that may be excluded or inactive. */
export const POPULAR_ITEMS = 1_000;

/** Number of items that a shard reports. Events are spread evenly over shards, so popular items are popular in each. */
export const SHARD_ITEMS = 2_000;

type ItemCount = readonly [item: string, events: number];

/** Returns the most frequent items over all shards. */
export function popularItems(shards: Iterable<readonly ItemCount[]>): PopularItems["items"] {
  const counts = new Map<string, number>();
  for (const items of shards) for (const [item, events] of items) counts.set(item, (counts.get(item) ?? 0) + events);
  // Sorts equal counts by id, so that a repeated run returns the same items.
  const most = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, POPULAR_ITEMS);
  return most.map(([item_id, events]) => ({ item_id, events }));
}

/** The popular items of the last ETL, most popular first. The API returns them if no campaign can answer. */
export const PopularItems = v.strictObject({
  run: v.string(),
  items: v.array(v.strictObject({ item_id: v.string(), events: v.number() })),
});

export type PopularItems = v.InferOutput<typeof PopularItems>;

/** The store from which the service reads popular items. Each write replaces the whole list. */
export interface PopularItemsStore {
  write(popular: PopularItems): Promise<void>;
}
