import * as v from "valibot";

/** The environment of search-events, which the stack sets. `config.json` beside the bundle has longer settings. */
export const SearchEventsEnv = v.object({
  /** Firehose stream to the bucket. */
  EVENTS_STREAM: v.pipe(v.string(), v.nonEmpty()),
  /** Ids and names of the API keys, `id=name,id=name`; absent if the configuration lists no keys. */
  API_KEYS: v.optional(v.string()),
});

export type SearchEventsEnv = v.InferOutput<typeof SearchEventsEnv>;
