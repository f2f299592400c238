import * as v from "valibot";
import { Model } from "../etl/tasks.ts";

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Interval = v.object({ mean: v.number(), low: v.number(), high: v.number() });

/** Result of training the built-in engine in a run. */
export const BuiltInReport = v.object({
  /** Number of items with neighbours. */
  items: Count,
  of: Count,
  /** Number of rare items, whose neighbours are found by text. */
  by_text: Count,
  /** Users whose last items are stored. */
  users: Count,
  model: Model,
  /** Processor time (s) of the training. */
  seconds: v.number(),
  /** NDCG@25 on test users. Absent if no user has two items. */
  measured: v.optional(v.object({ users: Count, built_in: Interval, popularity: Interval })),
});

export type BuiltInReport = v.InferOutput<typeof BuiltInReport>;
