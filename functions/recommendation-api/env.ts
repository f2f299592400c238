import * as v from "valibot";
import { ApiKeys, Text } from "../../lib/platform/environment.ts";

/** The environment of recommendation-api, which the stack sets. `config.json` beside the bundle has longer settings. */
export const RecommendationApiEnv = v.object({
  USERS_TABLE: Text,
  ITEMS_TABLE: Text,
  POPULAR_ITEMS_TABLE: Text,
  BUILT_IN_TABLE: Text,
  /** Table that counts accepted events. */
  INGESTION_TABLE: Text,
  /** Firehose stream to the bucket. */
  EVENTS_STREAM: Text,
  /** Queue of changed users and items. */
  REALTIME_QUEUE_URL: Text,
  /** Bucket of the document of placements. */
  BUCKET: Text,
  API_KEYS: ApiKeys,
});

export type RecommendationApiEnv = v.InferOutput<typeof RecommendationApiEnv>;
