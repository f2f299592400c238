import * as v from "valibot";

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Interval = v.object({ mean: v.number(), low: v.number(), high: v.number() });

/** The model of the items' lists, and what chose it. */
export const Model = v.object({
  /** Factors of items; 0 if the lists are neighbours by common users. */
  factors: Count,
  /** Users whose newest items chose the model. */
  users: Count,
  /** The NDCG@25 that the best factors have more than neighbours. Absent if there are too few users to tell. */
  over: v.optional(Interval),
});

export type Model = v.InferOutput<typeof Model>;

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
