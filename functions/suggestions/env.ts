import * as v from "valibot";
import { clusterEnv } from "../../lib/search/opensearch/cluster-env.ts";

/** The environment of suggestions, which the stack sets. What it suggests is in `config.json` beside the bundle. */
export const SuggestionsEnv = clusterEnv({
  /** Bucket of the request log. */
  BUCKET: v.pipe(v.string(), v.nonEmpty()),
  /** Memory of the engine, which writes what exceeds this to the function's disk. */
  ENGINE_MEMORY_MB: v.pipe(v.string(), v.regex(/^[1-9]\d{1,4}$/), v.transform(Number)),
});
