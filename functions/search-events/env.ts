import * as v from "valibot";
import { ApiKeys, Text } from "../../lib/platform/environment.ts";

/** The environment of search-events, which the stack sets. `config.json` beside the bundle has longer settings. */
export const SearchEventsEnv = v.object({
  /** Firehose stream to the bucket. */
  EVENTS_STREAM: Text,
  API_KEYS: ApiKeys,
});

export type SearchEventsEnv = v.InferOutput<typeof SearchEventsEnv>;
