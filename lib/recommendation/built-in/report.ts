import * as v from "valibot";

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Interval = v.object({ mean: v.number(), low: v.number(), high: v.number() });

/** What a run has taught the built-in engine. */
export const BuiltInReport = v.object({
  /** Items with neighbours, of all items. */
  items: Count,
  of: Count,
  /** Items whose pages show items of like texts, because they have few users. */
  by_text: Count,
  /** Users whose last items are stored. */
  users: Count,
  /** NDCG@25 on test users. Absent without users of two items. */
  measured: v.optional(v.object({ users: Count, built_in: Interval, popularity: Interval })),
});

export type BuiltInReport = v.InferOutput<typeof BuiltInReport>;
