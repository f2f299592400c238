import * as v from "valibot";
import { sums } from "./event-checks.ts";

/** Number of items to keep: the largest answer (500), plus as many again that may be excluded or inactive. */
const POPULAR_ITEMS = 1_000;

/** Returns the most frequent items over all shards. Sorts equal counts by id, so that a repeated run returns the same. */
export function popularItems(
  shards: readonly (readonly (readonly [item: string, events: number])[])[],
): PopularItems["items"] {
  const most = [...sums(shards.flat())].sort(([, a], [, b]) => b - a).slice(0, POPULAR_ITEMS);
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
