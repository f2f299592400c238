import * as v from "valibot";

const Text = v.pipe(v.string(), v.nonEmpty());

/** The environment of recommendation-api; the stack fills it. What is longer is in `config.json` beside the bundle. */
export const RecommendationApiEnv = v.object({
  USERS_TABLE: Text,
  ITEMS_TABLE: Text,
  POPULAR_ITEMS_TABLE: Text,
  /** Counts accepted events. */
  INGESTION_TABLE: Text,
  /** Delivery stream to the bucket. */
  EVENTS_STREAM: Text,
  /** Queue of changed users and items. */
  REALTIME_QUEUE_URL: Text,
});

export type RecommendationApiEnv = v.InferOutput<typeof RecommendationApiEnv>;
