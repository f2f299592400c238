import * as v from "valibot";

/** Items kept: the largest answer (500) and as many again that may be excluded or inactive. */
export const POPULAR_ITEMS = 1_000;

/** Items a shard hands on. Ids are spread evenly over shards, so what is popular is so in each. */
const PER_SHARD = 2_000;

type ItemCount = readonly [item: string, events: number];

/** The most frequent items of one shard. */
export function shardItems(counts: ReadonlyMap<string, number>): [string, number][] {
  return most(counts, PER_SHARD);
}

/** The most frequent items of all shards. */
export function popularItems(shards: Iterable<readonly ItemCount[]>): PopularItems["items"] {
  const counts = new Map<string, number>();
  for (const items of shards) for (const [item, events] of items) counts.set(item, (counts.get(item) ?? 0) + events);
  return most(counts, POPULAR_ITEMS).map(([item_id, events]) => ({ item_id, events }));
}

/** Equal counts are in the order of their ids, so that a run that is done again gives the same. */
function most(counts: ReadonlyMap<string, number>, limit: number): [string, number][] {
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, limit);
}

/** What the last ETL found popular, most popular first: answers when no campaign can. */
export const PopularItems = v.strictObject({
  run: v.string(),
  items: v.array(v.strictObject({ item_id: v.string(), events: v.number() })),
});

export type PopularItems = v.InferOutput<typeof PopularItems>;

/** Where the service reads them from: one record, replaced as a whole. */
export interface PopularItemsStore {
  write(popular: PopularItems): Promise<void>;
}
